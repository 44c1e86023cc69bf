import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerSettings } from '../../src/app/open/provider-settings.ts';
import { commands } from '../../src/cli/commands.ts';
import { exitCodes } from '../../src/cli/frame/exit-code.ts';
import { readCommandLine } from '../../src/cli/frame/read-command-line.ts';
import { UsageError } from '../../src/cli/frame/usage-error.ts';
import { databaseChecks, hostChecks } from '../../src/features/doctor/host/checks.ts';
import { parseQuery } from '../../src/features/search/query/parse-query.ts';
import { allSettings } from '../../src/foundation/config/settings/settings.ts';
import { instruments } from '../../src/foundation/telemetry/metrics.ts';
import { rateLimits } from '../../src/surfaces/http/requests/rate-limits.ts';
import { benches } from '../bench/support/benches.ts';
import { projectRoot } from '../support/run/gates.ts';
import {
  allTableRows,
  codeBlocks,
  linkedPaths,
  orgctxCommands,
  readPage,
  readPages,
  tableRows,
  variablesSet,
} from '../support/run/readme.ts';

const settings = allSettings(providerSettings);

const pages = readPages();
const readme = readPage('README.md');
const everything = pages.map(({ text }) => text).join('\n');
const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe('the pages of the documentation', () => {
  it('are all linked from README.md', () => {
    const linked = linkedPaths({ path: 'README.md', text: readme });
    expect(
      pages.map(({ path }) => path).filter((path) => path !== 'README.md' && !linked.includes(path)),
    ).toEqual([]);
  });

  it.each(pages)('link only to files that exist: $path', (page) => {
    expect(linkedPaths(page).filter((path) => globSync(path, { cwd: projectRoot }).length === 0)).toEqual([]);
  });

  it.each(pages)('name only files and npm scripts that exist: $path', ({ text }) => {
    const files = [...text.matchAll(/`((?:src|test|docs|migrations)\/[\w./-]+|[A-Z]{4,}(?:\.md)?)`/g)].map(
      ([, file]) => file ?? '',
    );
    const named = files.filter((file) => file.includes('/') || ['LICENSE', 'CHANGELOG.md'].includes(file));
    expect(named.filter((file) => globSync(file, { cwd: projectRoot }).length === 0)).toEqual([]);
    const programs = [...text.matchAll(/\bnode (test\/[\w./-]+)/g)].map(([, file]) => file ?? '');
    expect(programs.filter((file) => globSync(file, { cwd: projectRoot }).length === 0)).toEqual([]);
    const scripts = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(scripts.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
  });

  it('begin with README.md, which is short and has the two commands of the first day', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(271);
    const blocks = codeBlocks(readme, 'sh');
    expect(blocks).toContain('npm ci && npm start\n');
    expect(blocks).toContain('npm ci && npm test\n');
  });
});

describe('the documentation names commands', () => {
  const lines = orgctxCommands(everything);

  it.each([...new Map(lines.map((words) => [words.join(' '), words])).entries()])(
    'orgctx %s',
    async (_line, words) => {
      expect(await readCommandLine(words, commands)).toMatchObject({ kind: expect.any(String) });
    },
  );

  it('and every command that does something is among them', () => {
    const named = lines.map((words) => words[0]);
    const others = ['version'];
    expect(
      Object.keys(commands).filter((command) => !named.includes(command) && !others.includes(command)),
    ).toEqual([]);
  });

  it('that the parser of the command line would refuse if they were wrong', async () => {
    const wrong = orgctxCommands(
      '```sh\nexport A=b && orgctx serve --prot 1\n```\n```ini\nExecStart=/bin/orgctx work\n```\nor `orgctx repo ad x`, `orgctx admin link`',
    );
    expect(wrong).toEqual([['serve', '--prot', '1'], ['work'], ['repo', 'ad', 'x'], ['admin', 'link']]);
    for (const words of wrong) await expect(readCommandLine(words, commands)).rejects.toThrow(UsageError);
  });
});

describe('the documentation names queries', () => {
  const queries = tableRows(everything, 'query').map(([query = '']) => query);

  it('that the program accepts', () => {
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) expect(() => parseQuery(query)).not.toThrow();
  });

  it('with every filter that exists, and no short form that does not', () => {
    const page = readPage('docs/search-language.md');
    const named = new Set([...page.matchAll(/`([a-z]+):/gu)].map(([, name = '']) => name));
    const filters =
      'repo repository r file f path lang language l sym symbol branch b rev revision content c'.split(' ');
    for (const name of filters) {
      expect(named).toContain(name);
      expect(parseQuery(`${name}:go`)).not.toMatchObject({ kind: 'literal', text: `${name}:go` });
    }
  });
});

describe('the documentation names settings', () => {
  it('once: all and no other, each with its default and meaning', () => {
    const known = Object.entries(settings).map(([name, { secret, defaultText = '', description }]) => {
      return [secret ? `${name} (secret)` : name, defaultText, description];
    });
    expect(allTableRows(everything, 'setting')).toEqual([known]);
  });

  it('that the configuration uses', () => {
    const build = readFileSync(join(projectRoot, 'src/foundation/config/build-config.ts'), 'utf8');
    expect(Object.keys(allSettings({})).filter((name) => !build.includes(name))).toEqual([]);
  });

  it('in shell blocks and unit files that exist', () => {
    const others = new Set(['ORGCTX_URL', 'ORGCTX_ORG', 'ORGCTX_API_KEY', 'ORGCTX_API_KEY_FILE']);
    const names = variablesSet(everything);
    expect(names).toEqual(expect.arrayContaining(['DATA_DIR', 'AUTH_BASE_URL', 'TRUST_PROXY']));
    const unknown = names.filter(
      (name) => !others.has(name) && !Object.hasOwn(settings, name.replace(/_FILE$/, '')),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the documentation lists', () => {
  it('every exit code', () => {
    const listed = tableRows(everything, 'exit code').map(([code]) => Number(code));
    expect(listed).toEqual(Object.values(exitCodes));
  });

  it('the rate limits', () => {
    const { address, credential, user } = rateLimits;
    const rows = allTableRows(readPage('docs/limits.md'), 'what').flat();
    const listed = rows.find(([what]) => what?.startsWith('requests a minute'))?.[1];
    expect(listed).toContain(
      `${credential} a key or grant, ${user} a user, ${address} refused ones an address`,
    );
  });

  it('every check of the host', () => {
    const rows = allTableRows(readPage('docs/troubleshooting.md'), 'check').flat();
    const known = [...hostChecks, ...databaseChecks].map(({ title }) => title);
    const named = rows.flatMap(([titles = '']) => titles.split(', '));
    expect(named).toEqual(expect.arrayContaining(known));
  });

  it('every project of the tests', () => {
    const config = readFileSync(join(projectRoot, 'vitest.config.ts'), 'utf8');
    const projects = [...config.matchAll(/name: '([\w-]+)'/g)].map(([, name = '']) => name);
    expect(projects.length).toBeGreaterThan(5);
    const page = readPage('docs/development.md');
    expect(projects.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('every bench, which are those that the long tests run', () => {
    const cwd = join(projectRoot, 'test/bench');
    const found = globSync(['*.ts', '*/run.ts'], { cwd }).filter((file) => file !== 'statistics.ts');
    expect(Object.keys(benches).toSorted()).toEqual(found.toSorted());
    const { scripts } = manifest;
    const commandsOf = (file: string): readonly string[] => {
      const command = `node test/bench/${file}`;
      const script = Object.keys(scripts).find((name) => scripts[name] === command);
      return [command, ...(script === undefined ? [] : [`npm run ${script}`])];
    };
    const page = readPage('docs/development.md');
    const isListed = (file: string): boolean =>
      commandsOf(file).some((command) => page.includes(`| \`${command}`));
    expect(found.filter((file) => !isListed(file))).toEqual([]);
  });

  it('every metric, with its unit and meaning', () => {
    const known = Object.entries(instruments).map(([name, { unit, description }]) => [
      name,
      unit.replaceAll(/[{}]/g, ''),
      description,
    ]);
    expect(tableRows(everything, 'metric')).toEqual(known);
  });
});
