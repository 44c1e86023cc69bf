import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { exitCodes } from '../../src/cli/frame/exit-code.ts';
import { readCommandLine } from '../../src/cli/frame/read-command-line.ts';
import { UsageError } from '../../src/cli/frame/usage-error.ts';
import { parseQuery } from '../../src/features/search/query/parse-query.ts';
import { settingNames, settings } from '../../src/foundation/config/settings.ts';
import { instruments } from '../../src/foundation/telemetry/metrics.ts';
import { rateLimits } from '../../src/surfaces/http/rate-limits.ts';
import { projectRoot } from '../support/gates.ts';
import { orgctxCommands, readReadme, tableRows } from '../support/readme.ts';

const readme = readReadme();
const laterMark = ' (*later*)';

describe('the README names commands', () => {
  const lines = orgctxCommands(readme);

  it.each(lines.map((words) => [words.join(' '), words] as const))('orgctx %s', async (_line, words) => {
    expect(await readCommandLine(words, commands)).toMatchObject({ kind: expect.any(String) });
  });

  it('and every command that does something is among them', () => {
    const named = lines.map((words) => words[0]);
    expect(Object.keys(commands).filter((command) => !named.includes(command))).toEqual([]);
  });

  it('that the parser of the command line would refuse if they were wrong', async () => {
    const wrong = orgctxCommands(
      '```sh\nexport A=b && orgctx serve --prot 1\n```\nor `orgctx repo ad x`, `orgctx admin link`',
    );
    expect(wrong).toEqual([
      ['serve', '--prot', '1'],
      ['repo', 'ad', 'x'],
      ['admin', 'link'],
    ]);
    for (const words of wrong) await expect(readCommandLine(words, commands)).rejects.toThrow(UsageError);
  });
});

describe('the README names queries', () => {
  const queries = tableRows(readme, 'query').map(([query = '']) => query);

  it('that the program takes', () => {
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) expect(() => parseQuery(query)).not.toThrow();
  });

  it('with every filter that there is, and no short form that there is not', () => {
    const named = new Set([...readme.matchAll(/`([a-z]+):/gu)].map(([, name = '']) => name));
    for (const name of [
      'repo',
      'r',
      'file',
      'f',
      'path',
      'lang',
      'l',
      'sym',
      'branch',
      'b',
      'rev',
      'content',
      'c',
    ]) {
      expect(named).toContain(name);
      expect(parseQuery(`${name}:go`)).not.toMatchObject({ kind: 'literal', text: `${name}:go` });
    }
  });
});

describe('the README names settings', () => {
  const rows = tableRows(readme, 'setting');
  const later = rows.filter(([, , meaning]) => meaning?.endsWith(laterMark)).map(([name]) => name);

  it('all that the program knows and no other, each with its default and meaning', () => {
    const known = settingNames.map((name) => {
      const { secret, defaultText = '', description } = settings[name];
      return [secret ? `${name} (secret)` : name, defaultText, description];
    });
    expect(rows.map((row) => row.map((cell) => cell.replace(laterMark, '')))).toEqual(known);
  });

  it('as coming later exactly where nothing uses them yet', () => {
    const build = readFileSync(join(projectRoot, 'src/foundation/config/build-config.ts'), 'utf8');
    const unused = settingNames.filter((name) => !build.includes(name));
    expect(later.map((name) => name?.replace(' (secret)', ''))).toEqual(unused);
    expect(settingNames.filter((name) => !settings[name].effective)).toEqual(unused);
  });
});

describe('the README tells', () => {
  it('every exit code', () => {
    const told = tableRows(readme, 'exit code').map(([code]) => Number(code));
    expect(told).toEqual(Object.values(exitCodes));
  });

  it('the rate limits', () => {
    const { address, credential, user } = rateLimits;
    const told = tableRows(readme, 'what').find(([what]) => what === 'requests a minute')?.[1];
    expect(told).toContain(`${credential} a key, ${user} a user, ${address} refused ones an address`);
  });

  it('every metric, with its unit and meaning', () => {
    const known = Object.entries(instruments).map(([name, { unit, description }]) => [
      name,
      unit,
      description,
    ]);
    expect(tableRows(readme, 'metric')).toEqual(
      known.map(([name = '', unit = '', description = '']) => [
        name,
        unit.replaceAll(/[{}]/g, ''),
        description,
      ]),
    );
  });

  it('of files that are there', () => {
    const files = [...readme.matchAll(/`((?:src|test)\/[\w./-]+|[A-Z]{4,}(?:\.md)?)`/g)].map(
      ([, file]) => file ?? '',
    );
    const named = files.filter((file) => file.includes('/') || ['LICENSE', 'CHANGELOG.md'].includes(file));
    expect(named).toContain('LICENSE');
    expect(named.filter((file) => globSync(file, { cwd: projectRoot }).length === 0)).toEqual([]);
  });
});
