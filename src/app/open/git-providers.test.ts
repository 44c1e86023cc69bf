import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { gitProviders } from './git-providers.ts';
import { providerSettings } from './provider-settings.ts';

const src = join(import.meta.dirname, '../..');
const folder = 'backends/git-providers';

describe('the registry of Git hosts', () => {
  test('lists exactly the kinds that have a folder', () => {
    const entries = readdirSync(join(src, folder), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(gitProviders.map(({ kind }) => kind).toSorted()).toEqual(folders.toSorted());
  });

  test('is all that names a provider outside its folder', () => {
    // `https` is also a protocol. `public-hosts.ts` lists the sites of products, whether they have a provider or not.
    const kinds = gitProviders.map(({ kind }) => kind).filter((kind) => kind !== 'https');
    const own = new RegExp(
      `^(?:${folder}/(?:(?:${kinds.join('|')})/|(?:https/|public-hosts\\.ts$))|app/open/git-providers\\.ts$)`,
    );
    const named = new RegExp(`${kinds.join('|')}|forgejo|gitlab|bitbucket`, 'i');
    // The folders of a repository with files for tools, and the list of languages, are named so everywhere.
    const formats = /\.github\b|\.gitlab\b|GitHub Linguist/g;
    const others = globSync('**/*.{ts,tsx}', { cwd: src }).filter(
      (file) => !own.test(file) && !file.endsWith('.test.ts'),
    );
    expect(others.length).toBeGreaterThan(500);
    const naming = others.filter((file) =>
      named.test(readFileSync(join(src, file), 'utf8').replaceAll(formats, '')),
    );
    expect(naming).toEqual([]);
  });
});

describe('GITHOST_KIND', () => {
  const load = (env: Readonly<Record<string, string>>) =>
    loadConfig({ env, cwd: '/', homeDir: '/home/somebody', providerSettings });

  test('is one of the kinds with an API, by default the first', () => {
    const kinds = gitProviders.filter(({ can }) => can.list).map(({ kind }) => kind);
    for (const kind of kinds) expect(load({ GITHOST_KIND: kind }).config.githost.kind).toBe(kind);
    expect(load({}).config.githost.kind).toBe(kinds[0]);
    const refusal = `GITHOST_KIND must be one of ${kinds.join(', ')}.`;
    for (const kind of ['https', 'svn']) {
      expect(() => load({ GITHOST_KIND: kind })).toThrow(`A setting is invalid: ${refusal}`);
    }
  });
});
