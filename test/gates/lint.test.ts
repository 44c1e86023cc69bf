import { describe, expect, it } from 'vitest';
import { type Files, runOnPlanted } from '../support/run/planted-tree.ts';

const manyLines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

const branches = manyLines(16, (n) => `  if (n === ${n}) return ${n};`);

/** Files that break a rule, by rule. */
const errors: Readonly<Record<string, readonly [file: string, source: string]>> = {
  'no-floating-promises': [
    'src/foundation/kernel/floating.ts',
    'export function forget(work: () => Promise<void>): void {\n  work();\n}',
  ],
  'no-misused-promises': [
    'src/foundation/kernel/misused.ts',
    'export const run = (all: number[], f: (n: number) => Promise<void>) => all.forEach(async (n) => f(n));',
  ],
  'switch-exhaustiveness-check': [
    'src/foundation/kernel/inexhaustive.ts',
    "export function f(a: 'x' | 'y'): void {\n  switch (a) {\n    case 'x':\n      f(a);\n  }\n}",
  ],
  'no-explicit-any': ['src/foundation/kernel/any.ts', 'export const anything: any = 1;'],
  'no-process-env': ['src/features/search/environment.ts', "export const home = process.env['HOME'];"],
  'no-default-export': ['src/features/search/default-export.ts', 'export default 1;'],
  'no-console': ['src/cli/console.ts', "export function say(): void {\n  console.log('hello');\n}"],
  'no-restricted-globals': [
    'src/features/search/fetch.ts',
    "export const page = () => fetch('https://example.org');",
  ],
  'no-restricted-properties': [
    'src/app/exit.ts',
    'export function give(): void {\n  process.exitCode = 1;\n}',
  ],
  'no-restricted-imports': [
    'src/features/search/socket.ts',
    "import { request } from 'node:https';\n\nexport const page = () => request('https://example.org');",
  ],
  'filename-case': ['src/foundation/kernel/wrongCase.ts', 'export const one = 1;'],
  'max-lines': ['src/foundation/kernel/long.ts', manyLines(401, (n) => `export const n${n} = ${n};`)],
  'max-lines-per-function': [
    'src/foundation/kernel/long-function.ts',
    `export function f(n: number): void {\n${manyLines(80, (n) => `  f(n + ${n});`)}\n}`,
  ],
  complexity: [
    'src/foundation/kernel/complex.ts',
    `export function f(n: number): number {\n${branches}\n  return n;\n}`,
  ],
};

describe('the lint gate', () => {
  it('passes the clean tree', async () => {
    const { passed, output } = await runOnPlanted('lint');
    expect({ passed, output }).toMatchObject({ passed: true, output: expect.stringContaining('0 errors') });
  });

  it('fails on each planted error and names its rule and file', async () => {
    const planted: Files = Object.fromEntries(
      Object.values(errors).map(([file, source]) => [file, `${source}\n`]),
    );
    const { passed, output } = await runOnPlanted('lint', planted);
    expect(passed).toBe(false);
    const places = Object.entries(errors).map(([rule, [file]]) => [
      rule,
      findingsOf(rule, output).includes(file),
    ]);
    expect(places).toEqual(Object.keys(errors).map((rule) => [rule, true]));
  });

  it('allows the designated modules to read the environment, check addresses and print', async () => {
    const { passed, output } = await runOnPlanted('lint', {
      'src/foundation/config/read-environment.ts': 'export const environment = process.env;\n',
      'src/foundation/git/address.ts':
        "import { isIP, type Socket } from 'node:net';\n\nexport type S = Socket;\nexport const is = isIP;\n",
      'src/cli/print.ts': "export function say(): void {\n  process.stdout.write('hello');\n}\n",
    });
    expect(passed, output).toBe(true);
  });
});

/** Returns the text of all findings of one rule. */
function findingsOf(rule: string, output: string): string {
  return output
    .split(/\n(?=\s+[x×!⚠] )/)
    .filter((finding) => finding.includes(`(${rule})`))
    .join('\n');
}
