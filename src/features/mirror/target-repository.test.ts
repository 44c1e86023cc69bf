import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { hostedIdKey } from './repository-key.ts';
import { readTargetRepository } from './target-repository.ts';

const rules = { allowLocal: true, allowHosts: ['git.example.com:8080'], dataDir: temporaryFolder() };
const keyOf = async (text: string): Promise<string> => (await readTargetRepository(text, rules)).key;

describe('a repository on a Git host', () => {
  it.each([
    'https://git.example.com/acme/context',
    'https://git.example.com/acme/context.git',
    'https://git.example.com:443/Acme//Context.git/',
    'https://git.example.com./acme/./context',
    'https://GIT.example.com/acme/%2e/cont%65xt',
    'https://git.example.com/acme%2fcontext',
    'https://git.example.com/other/../acme/context',
    'git@git.example.com:acme/context.git',
    'git@git.example.com:/acme/./context/.git',
    'ssh://git@git.example.com:22/acme/context',
    'ssh://git@git.example.com/%2e/acme/%2E/context',
  ])('has the same key for %s', async (text) => {
    expect(await keyOf(text)).toBe('git.example.com/acme/context');
  });

  it.each([
    'https://git.example.com/acme/other',
    'https://git.example.com/acme/context/more',
    'https://example.com/acme/context',
    'http://git.example.com:8080/acme/context',
    'ssh://git@git.example.com:2222/acme/context',
  ])('has another key for %s', async (text) => {
    expect(await keyOf(text)).not.toBe('git.example.com/acme/context');
  });

  it.each([
    ['github.com', 'https://www.github.com/acme/context'],
    ['github.com', 'ssh://git@ssh.github.com:443/acme/context.git'],
    ['gitlab.com', 'ssh://git@altssh.gitlab.com:443/acme/context'],
    ['bitbucket.org', 'ssh://git@altssh.bitbucket.org:443/acme/context'],
  ])('on %s has the same key for %s', async (host, text) => {
    expect(await keyOf(text)).toBe(`${host}/acme/context`);
    expect(await keyOf(text)).toBe(await keyOf(`https://${host}/acme/context`));
  });

  it.each([
    'ssh://git@git.example.com/acme/%2e%2e/other/context',
    'git@git.example.com:acme/%2E./context',
    'https://git.example.com/acme/..%2fother/context',
  ])('is refused for a path with parent segments: %s', async (text) => {
    await expect(keyOf(text)).rejects.toMatchObject({ status: 400, errors: [{ path: 'source' }] });
  });
});

describe('a repository that its Git host knows by an id', () => {
  it.each([
    'https://git.example.com/gitea/api/v1',
    'https://git.example.com:443/gitea/api/v1/',
    'http://git.example.com/gitea/api/v1',
    'https://GIT.example.com./gitea//api/v1',
    'https://git.example.com/Gitea/./api/%76%31',
    'https://git.example.com/other/../gitea/api/v1',
  ])('has the same key for the API %s', (apiUrl) => {
    expect(hostedIdKey(apiUrl, '7')).toBe('git.example.com/gitea/api/v1/7');
  });

  it.each([
    'https://git.example.com/api/v1',
    'https://git.example.com/forgejo/api/v1',
    'https://git.example.com/gitea/api/v3',
    'https://git.example.com/gitea/acme/context/raw/api/v1',
    'https://git.example.com:8080/gitea/api/v1',
    'https://example.com/gitea/api/v1',
  ])('has another key for the API %s', (apiUrl) => {
    expect(hostedIdKey(apiUrl, '7')).not.toBe('git.example.com/gitea/api/v1/7');
  });
});

describe('a repository in a folder of this host', () => {
  it('has the same key for links, its Git folder and a linked work tree', async () => {
    const repository = createRepository({ 'a.txt': 'a' });
    const folder = temporaryFolder();
    await symlink(repository.folder, join(folder, 'link'));
    repository.git('worktree', 'add', '--quiet', join(folder, 'tree'));
    const key = await realpath(join(repository.folder, '.git'));
    for (const path of [
      repository.folder,
      join(repository.folder, '.git'),
      `${repository.folder}/./`,
      join(folder, 'link'),
      join(folder, 'tree'),
      `file://${join(folder, 'link')}`,
    ]) {
      expect(await keyOf(path), path).toBe(key);
    }
    const read = await readTargetRepository(join(folder, 'link'), rules);
    expect(read.source.url).toBe(await realpath(repository.folder));
  });

  it('has a key that is case-sensitive', async () => {
    const [one, other] = ['Context.git', 'context.git'].map((name) => join(temporaryFolder(), name));
    const repository = createRepository({ 'a.txt': 'a' });
    for (const path of [one, other]) repository.git('clone', '--quiet', '--bare', '.', path ?? '');
    expect(await keyOf(one ?? '')).not.toBe(await keyOf(other ?? ''));
  });

  it('is refused unless folders are allowed', async () => {
    const { folder } = createRepository({ 'a.txt': 'a' });
    await expect(readTargetRepository(folder, { ...rules, allowLocal: false })).rejects.toThrow(
      'ALLOW_LOCAL_REPOSITORIES',
    );
  });

  it('is refused inside the data folder, also through a link, and if it is missing, all with the same message', async () => {
    const inside = join(rules.dataDir, 'repositories', 'org', 'r.git');
    createRepository({ 'a.txt': 'a' }).git('clone', '--quiet', '--bare', '.', inside);
    const folder = temporaryFolder();
    await symlink(inside, join(folder, 'link'));
    await mkdir(join(folder, 'plain'));
    const errors = [inside, join(folder, 'link'), join(folder, 'plain'), join(folder, 'nothing')].map(
      (path) => keyOf(path).catch((error: unknown) => error),
    );
    const [first, ...others] = await Promise.all(errors);
    expect(first).toMatchObject({ status: 400, errors: [{ path: 'source' }] });
    for (const other of others) expect(String(other)).toBe(String(first));
  });
});
