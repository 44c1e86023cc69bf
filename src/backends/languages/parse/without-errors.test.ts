import { expect, it } from 'vitest';
import { sharedParser } from '../../../../test/support/languages/shared-parser.ts';
import { typescript } from '../ecmascript/typescript.ts';
import { languages } from '../languages.ts';
import { openParsers } from './open-parsers.ts';
import { wideErrors, withoutErrors } from './without-errors.ts';

const parserOf = openParsers(3072);

async function definitionsIn(path: string, language: string, text: string): Promise<readonly string[]> {
  const [result] = await sharedParser.parseFiles([{ path, language, text }], new AbortController().signal);
  if (result === undefined || 'failed' in result) throw new Error(JSON.stringify(result));
  return result.symbols.map(({ qualifiedName, line }) => `${qualifiedName} ${line}`);
}

it('finds what follows call signatures that the grammar does not separate', async () => {
  const overloads = Array.from(
    { length: 8 },
    (_, n) =>
      `  <\n    P${n} extends string,\n    R extends Result<P${n}> = Result<P${n}>,\n  >(\n    path: P${n}\n  ): Hono<P${n}>\n`,
  );
  const text = [
    `export interface Handler<E> {\n${overloads.join('\n')}}`,
    `export interface Other<E> {\n${overloads.join('\n')}}`,
    'export type Schema = { path: string }',
    'export class Context<E> {\n  read(): void {}\n}',
    'export const last = 1',
  ];
  const found = await definitionsIn('types.ts', 'TypeScript', text.join('\n\n'));
  const names = found.map((each) => each.replace(/ \d+$/, ''));
  expect(names).toEqual(
    expect.arrayContaining(['Handler', 'Other', 'Schema', 'Context', 'Context.read', 'last']),
  );
});

it('finds a function behind a statement that hides it', async () => {
  const body = Array.from({ length: 8 }, (_, n) => `    warn("$n: ${n}")\n`).join('');
  const text = `context(project: Project)\ninternal fun Reporter.report(\n  id: Int\n) {\n${body}}\n\nfun last() {}\n`;
  expect(await definitionsIn('Problems.kt', 'Kotlin', text)).toEqual(['Reporter.report 2', 'last 15']);
});

it.each([
  [
    'types',
    'TypeScript',
    (n: number) => `export interface I${n} {\n  <T>(a: T): R[T]\n  <T>(b: T): {\n${'\n'.repeat(6)}`,
  ],
  ['functions', 'C', (n: number) => `int f${n}( {\n\n\n\n\n\n  (((\n}\n`],
  ['classes', 'Kotlin', (n: number) => `class C${n} {{{ (\n${'  open = $x\n'.repeat(8)}`],
])('reads a limited number of characters for hundreds of errors in %s', async (_, language, part) => {
  const { parser } = (await parserOf)(languages.get(language)!);
  const text = Array.from({ length: 1_200 }, (__, n) => part(n)).join('');
  const tree = parser.parse(text);
  let [read, times] = [0, 0];
  const counting = {
    parse: (again: string) => {
      read += again.length;
      times += 1;
      return parser.parse(again);
    },
  };
  const errors = wideErrors(tree!.rootNode);
  expect(errors.length).toBeGreaterThan(0);
  withoutErrors(counting, errors, text);
  tree?.delete();
  expect(times).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(4 * text.length + 100_000);
  expect(times).toBeLessThanOrEqual((4 * text.length + 100_000) / 500);
});

it('reads no text again in which no error is wide', async () => {
  const { parser } = (await parserOf)(typescript);
  const tree = parser.parse('export const a = ;\nexport const b = 1;\n')!;
  const none = { parse: () => expect.unreachable() };
  expect(tree.rootNode.hasError).toBe(true);
  expect(withoutErrors(none, wideErrors(tree.rootNode), tree.rootNode.text)).toBeUndefined();
  tree.delete();
});

it('reads no long text again, and returns none in which nothing was blanked', () => {
  const part = 'export interface I {\n  <T>(a: T): R[T]\n  <T>(b: T): {\n\n\n\n\n\n\n';
  const text = part.repeat(Math.ceil(200_000 / part.length) + 1);
  const none = { parse: () => expect.unreachable() };
  const error = { from: 0, to: 9, causes: [2] };
  expect(withoutErrors(none, [error], text)).toBeUndefined();
  expect(withoutErrors({ parse: () => null }, [error], 'a\nb')).toBeUndefined();
});
