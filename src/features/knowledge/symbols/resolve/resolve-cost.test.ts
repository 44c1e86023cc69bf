import { expect, it } from 'vitest';
import { openResolving, tableOf } from '../../../../../test/support/graph/resolving.ts';
import type { ParsedFile } from '../../../../backends/languages/port.ts';
import { resolveFile } from './resolve-file.ts';
import { SymbolTable } from './symbol-table.ts';

const { parse } = openResolving();

const count = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

/** Returns a table, and the paths of the files that it read. */
function tableThatCounts(parsed: readonly ParsedFile[]) {
  const byPath = new Map(parsed.map((file) => [file.path, file]));
  const read: string[] = [];
  const table = new SymbolTable((path) => {
    read.push(path);
    return byPath.get(path)!;
  });
  for (const file of parsed) table.add(file);
  return { table, read };
}

it('reads no file of a package for a common name that the package does not define', async () => {
  const inPackage = count(70).map((n) => [`p/f${n}.go`, `package p\n\nfunc own${n}() {}\n`]);
  const elsewhere = count(70).map((n) => [`q${n}/f.go`, `package q${n}\n\nfunc common() {}\n`]);
  const caller = ['p/a.go', 'package p\n\nfunc a() {\n\tcommon()\n\town3()\n}\n'];
  const parsed = await parse(Object.fromEntries([caller, ...inPackage, ...elsewhere]));
  const { table, read } = tableThatCounts(parsed);
  const { uses } = resolveFile(table, parsed[0]!);
  expect(uses.map(({ use, targets }) => [use.name, targets[0]?.path])).toEqual([['own3', 'p/f3.go']]);
  expect(read).toEqual(['p/f3.go']);
});

it('reads no file of a namespace but the one that defines an imported name', async () => {
  const classes = count(20).map((n) => [`src/C${n}.php`, `<?php\nnamespace Acme;\nclass C${n} {\n}\n`]);
  const parsed = await parse(
    Object.fromEntries([['a.php', '<?php\nuse Acme\\C7;\nnew C7();\n'], ...classes]),
  );
  const { table, read } = tableThatCounts(parsed);
  const { imports } = resolveFile(table, parsed[0]!);
  expect(imports.map(({ paths }) => paths)).toEqual([['src/C7.php']]);
  expect(new Set(read)).toEqual(new Set(['src/C7.php']));
});

it('follows files that export all names of each other once', async () => {
  const [files, all] = [8, count(8)];
  const circle = all.map((n) => [
    `f${n}.ts`,
    all.map((to) => (to === n ? '' : `export * from './f${to}.ts';\n`)).join(''),
  ]);
  const caller = "import { missing, found } from './f0.ts';\nmissing();\nfound();\n";
  const last = [`f${files - 1}.ts`, `${circle.at(-1)![1]}export function found() {}\n`];
  const parsed = await parse(Object.fromEntries([['a.ts', caller], ...circle, last]));
  const table = tableOf(parsed);
  let paths = 0;
  const has = table.has.bind(table);
  table.has = (path) => {
    paths += 1;
    return has(path);
  };
  const { uses, unresolved } = resolveFile(table, parsed[0]!);
  expect(uses.map(({ use, targets }) => [use.name, targets[0]?.path])).toEqual([['found', 'f7.ts']]);
  expect(unresolved.map(({ name }) => name)).toEqual(['missing']);
  // Each file is asked once for each name, and tries some endings of the path of each import.
  expect(paths).toBeLessThan(2 * files * files * 10);
});

it('looks at no file of an imported package but those that define a name', async () => {
  const inPackage = count(50).map((n) => [`p/F${n}.kt`, `package p\n\nimport q.*\n\nfun own${n}() {}\n`]);
  const calls = count(20).map((n) => `  own${n}()\n  missing${n}()\n`);
  const caller = ['a.kt', `package a\n\nimport p.*\n\nfun run() {\n${calls.join('')}}\n`];
  const parsed = await parse(Object.fromEntries([caller, ...inPackage]));
  const table = tableOf(parsed);
  let [asked, passed] = [0, 0];
  const [defining, reExporting] = [table.defining.bind(table), table.reExporting.bind(table)];
  table.defining = (paths, name) => {
    asked += paths.length;
    return defining(paths, name);
  };
  table.reExporting = (path) => {
    passed += 1;
    return reExporting(path);
  };
  const { uses, unresolved } = resolveFile(table, parsed[0]!);
  expect([uses.length, unresolved.length]).toEqual([20, 20]);
  // Without an index of names, each of 40 names would ask 50 files.
  expect(asked).toBeLessThan(400);
  expect(passed).toBeLessThan(100);
});

it('looks up a name once for all its uses in one definition', async () => {
  const source = `export function again() {}\nexport function run() {\n${'  again();\n'.repeat(500)}}\n`;
  const parsed = await parse({ 'a.ts': source });
  const table = tableOf(parsed);
  let lookUps = 0;
  const inFiles = table.inFiles.bind(table);
  table.inFiles = (...args) => {
    lookUps += 1;
    return inFiles(...args);
  };
  const { uses } = resolveFile(table, parsed[0]!);
  expect(uses).toHaveLength(500);
  expect(lookUps).toBeLessThan(10);
});

it('reads the references of a file once for the base types of all its uses', async () => {
  const uses = count(100).map((n) => `this.missing${n}();`);
  const text = `class A extends B {\n  Clock clock;\n  void run() {\n${uses.join('\n')}\n}\n}\n`;
  const [parsed] = await parse({ 'A.java': text });
  let read = 0;
  const references = parsed!.references.map((use) => ({
    ...use,
    get kind() {
      if (use.kind !== 'inherits') read += 1;
      return use.kind;
    },
  }));
  const file: ParsedFile = { ...parsed!, references };
  expect(resolveFile(tableOf([file]), file).unresolved.length).toBeGreaterThanOrEqual(100);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(20);
});

it('asks once where an include leads, however many names may come through it', async () => {
  const headers = count(20).map((n) => [`h${n}.h`, `#include "h${(n + 1) % 20}.h"\nint own${n}(void);\n`]);
  const calls = count(20).map((n) => `void f${n}(void) { own3(); outside${n}(); }\n`);
  const caller = ['a.c', `#include "h0.h"\n${calls.join('')}`];
  const parsed = await parse(Object.fromEntries([caller, ...headers]));
  const { table } = tableThatCounts(parsed);
  const asked: string[] = [];
  const has = table.has.bind(table);
  table.has = (path) => {
    asked.push(path);
    return has(path);
  };
  resolveFile(table, parsed[0]!);
  // A header, and the sources beside it, for the file and for each header that is loaded.
  expect(asked.filter((path) => path === 'h3.h').length).toBeLessThanOrEqual(2);
});

it('reads files that do not fit together a limited number of times', async () => {
  const define = count(700).map((n) => `int f${n}(void) { return 0; }\n`);
  const headers = count(100).map((n) => [`h${n}.h`, define.join('')]);
  const calls = count(700).map((n) => `void g${n}(void) { f${n}(); }\n`);
  const caller = ['a.c', [...count(100).map((n) => `#include "h${n}.h"\n`), ...calls].join('')];
  const parsed = await parse(Object.fromEntries([caller, ...headers]));
  const { table, read } = tableThatCounts(parsed);
  expect(resolveFile(table, parsed[0]!).uses).toEqual([]);
  expect(read.length).toBeLessThan(2_000);
  // The cost is counted for each file.
  const [other] = await parse({ 'b.c': '#include "h7.h"\nvoid one(void) { f1(); }\n' });
  table.add(other!);
  expect(resolveFile(table, other!).uses.flatMap(({ targets }) => targets.map(({ path }) => path))).toEqual([
    'h7.h',
  ]);
});

it('asks again where an import leads after files came and went', async () => {
  const [importer, imported] = await parse({
    'a.ts': 'import { renew } from "./b";\nrenew();\n',
    'b.ts': 'export function renew() {}\n',
  });
  const { table } = tableThatCounts([importer!, imported!]);
  const paths = (): unknown => resolveFile(table, importer!).imports.flatMap((each) => each.paths)[0];
  expect(paths()).toBe('b.ts');
  table.delete('b.ts');
  expect(paths()).toBeUndefined();
  table.add(imported!);
  expect(paths()).toBe('b.ts');
});

it('follows no receiver through more declarations than a person reads', async () => {
  const names = 'abcdefghi'.split('');
  const resultOf = (at: number): string =>
    at === names.length - 1
      ? 'new A()'
      : `make_${names[at + 1]}()${`.${names[at + 1]}()`.repeat(names.length - 2 - at)}`;
  const methods = names.map((name, at) => `  ${name}() { return ${resultOf(at)}; }\n`).join('');
  const makers = names.map((name, at) => `function make_${name}() { return ${resultOf(at)}; }\n`).join('');
  const source = `class A {\n${methods}}\n${makers}function run() {\n  make_a().unknown();\n  make_h().h().i();\n}\n`;
  const parsed = await parse({ 'a.ts': source });
  const table = tableOf(parsed);
  let lookUps = 0;
  const qualified = table.qualified.bind(table);
  table.qualified = (...args) => {
    lookUps += 1;
    return qualified(...args);
  };
  const { uses } = resolveFile(table, parsed[0]!);
  expect(
    uses.filter(({ use }) => use.name === 'i').map(({ targets }) => targets[0]?.symbol.qualifiedName),
  ).toContain('A.i');
  expect(lookUps).toBeLessThan(20_000);
});
