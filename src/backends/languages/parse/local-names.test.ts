import { expect, it } from 'vitest';
import { sharedParser } from '../../../../test/support/languages/shared-parser.ts';

/** Returns the uses of `renew` in a file: line, kind, and whether other lines may mean something else. */
async function usesOf(language: string, text: string): Promise<readonly string[]> {
  const [parsed] = await sharedParser.parseFiles(
    [{ path: 'a', language, text }],
    new AbortController().signal,
  );
  if (parsed === undefined || 'failed' in parsed) return [];
  return [...parsed.calls, ...parsed.references]
    .filter(({ name }) => name === 'renew')
    .map(({ line, kind, byLine }) => `${line} ${kind}${byLine === true ? ' by line' : ''}`);
}

it.each([
  ['C#', 'class A {\n  void f() {\n    var renew = 1;\n    renew();\n    g(renew);\n  }\n}\n'],
  ['Go', 'package a\n\nfunc f() {\n\trenew()\n\trenew := 1\n\tg(renew)\n}\n'],
  ['Java', 'class A {\n  void f() {\n    g(renew -> 1);\n    renew();\n    g(renew);\n  }\n}\n'],
  ['JavaScript', 'function f({ renew = 1 }) {\n\n\n  renew();\n  g(renew);\n}\n'],
  ['Kotlin', 'fun f() {\n  for (renew in g()) {}\n\n  renew()\n  g(renew)\n}\n'],
  ['Python', 'def f(renew=1):\n\n\n    renew()\n    g(renew)\n'],
  ['Rust', 'fn f() {\n    let renew = 1;\n\n    renew();\n    g(renew);\n}\n'],
  ['Scala', 'object A {\n  def f() = {\n    val renew = g()\n    renew()\n    g(renew)\n  }\n}\n'],
  ['TypeScript', 'function f(renew?: any) {\n\n\n  renew();\n  g(renew);\n}\n'],
])('tells variables of functions in %s from what they pass by', async (language, text) => {
  expect(await usesOf(language, text)).toEqual(['4 call by line']);
});

it('knows a variable of a callback only inside of it', async () => {
  const text = [
    "import { renew } from './a';",
    'each((renew) => {',
    '  g(renew);',
    '});',
    'g(renew);',
    'function f() {',
    '  g(renew);',
    '  h(renew);',
    '}',
  ].join('\n');
  expect(await usesOf('TypeScript', text)).toEqual(['5 value by line', '7 value']);
});

it('has each line of a name that is a member, too', async () => {
  const text =
    "import { renew } from './a';\nfunction f(lease) {\n  renew();\n  g(renew);\n  h(renew);\n  lease.renew();\n}\n";
  expect(await usesOf('JavaScript', text)).toEqual([
    '3 call by line',
    '6 call by line',
    '4 value by line',
    '5 value by line',
  ]);
});
