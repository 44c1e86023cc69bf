import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../test/support/connectors/random.ts';
import { openResolving } from '../../../../test/support/graph/resolving.ts';
import { sampleSize } from '../../../../test/support/run/long-run.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { languageOf } from '../../../backends/codesearch/port.ts';
import { fileFacts } from '../links/file-facts.ts';
import { PackageExports } from '../packages/exported-names.ts';
import { RepositoryPackages } from '../packages/repository-packages.ts';
import { RepositoryFiles } from './repository-files.ts';

const { parse } = openResolving();

const paths = [
  'a.ts',
  'b.ts',
  'c.ts',
  'p/a.py',
  'p/b.py',
  'p/c.py',
  'p/__init__.py',
  'g/a.go',
  'g/b.go',
  'x/a.cc',
  'x/b.cc',
];

/** The parts of a generated file, as positions in the lists of names. */
interface Content {
  readonly imports: readonly (readonly [module: string, name: string, local: string])[];
  readonly types: readonly (readonly [name: string, base: string])[];
  readonly functions: readonly (readonly [
    name: string,
    result: string,
    calls: readonly [string, string, string],
  ])[];
}

const none: Content = { imports: [], types: [], functions: [] };
const types = ['Ant', 'Bee', 'Cat'];
/** Some names, so many that most files do not contain most of them. */
const functions = Array.from({ length: 16 }, (_, index) =>
  index % 2 === 0 ? `call${index}` : `run${index}Now`,
);
const aliases = ['other', 'another'];
const name = (random: Random): string => random.pick(random.below(4) === 0 ? aliases : functions) ?? '';
const type = (random: Random): string => random.pick(types) ?? '';
const some = <Item>(random: Random, below: number, make: () => Item): Item[] =>
  Array.from({ length: random.below(below) }, make);

/** Generates a file. Most imports name what their module provides, and most calls what the file imports. */
function anyContent(
  random: Random,
  provided: (module: string) => readonly string[],
  former?: Content,
): Content {
  const keeps = former !== undefined && random.below(4) > 0;
  const anyImport = (): Content['imports'][number] => {
    const module = random.pick(['a', 'b', 'c']) ?? '';
    const known = random.below(3) > 0 ? random.pick(provided(module)) : undefined;
    const imported = known ?? (random.below(3) === 0 ? type(random) : name(random));
    return [module, imported, random.below(3) > 0 ? imported : name(random)];
  };
  // Another file may know what this one imports by its name here.
  const renewed = (): Content['imports'] =>
    former?.imports.map(([, , local]) => {
      const [module, imported] = anyImport();
      return [module, imported, local];
    }) ?? [];
  const imports = keeps ? former.imports : random.below(2) === 0 ? renewed() : some(random, 4, anyImport);
  const called = (): string => {
    const local = random.below(2) > 0 ? random.pick(imports)?.[2] : undefined;
    return local ?? name(random);
  };
  return {
    imports,
    // A changed type affects all files, so that it would hide what other changes affect.
    types:
      former !== undefined && random.below(8) > 0
        ? former.types
        : some(random, 2, () => [type(random), type(random)]),
    functions: some(random, 3, () => [name(random), type(random), [called(), called(), called()]]),
  };
}

/** Prints a file in the language of its path: an import, a type with two methods, and functions that call others. */
function print(path: string, { imports, types: [held], functions: defined }: Content): string {
  switch (languageOf(path)) {
    case 'TypeScript':
      return [
        ...imports.map(([from, given, local], index) =>
          index % 2 === 0
            ? `export { ${given} as ${local} } from './${from}.ts';`
            : `import { ${given} as ${local} } from './${from}.ts';`,
        ),
        ...(held
          ? [`export class ${held[0]} extends ${held[1]} {\n  call0() { this.call2(); }\n  call4() {}\n}`]
          : []),
        ...defined.map(
          ([given, result, [one, two, three]]) =>
            `export function ${given}(x: ${result}): ${result} { ${one}(); x.${two}(); const v = ${two}(); v.${three}(); }`,
        ),
      ].join('\n');
    case 'Python':
      return [
        ...imports.map(([from, given, local]) => `from p.${from} import ${given} as ${local}`),
        ...(held
          ? [
              `class ${held[0]}(${held[1]}):\n    def call0(self):\n        self.call2()\n    def call4(self): pass`,
            ]
          : []),
        ...defined.map(
          ([given, result, [one, two, three]]) =>
            `def ${given}(x: ${result}) -> ${result}:\n    ${one}()\n    x.${two}()\n    v = ${two}()\n    v.${three}()`,
        ),
      ].join('\n');
    case 'Go':
      return [
        'package g',
        ...(held ? [`type ${held[0]} struct { ${held[1]} }`] : []),
        ...defined.map(
          ([given, result, [one, two, three]], index) =>
            `func ${index % 2 === 0 ? `(r ${result}) ` : ''}${given}(x ${result}) ${result} { ${one}(); x.${two}(); v := ${two}(); v.${three}() }`,
        ),
      ].join('\n');
    default:
      return [
        ...imports.map(([from]) => `#include "${from}.cc"`),
        ...(held ? [`class ${held[0]} : public ${held[1]} { void call0() { call2(); } };`] : []),
        ...defined.map(
          ([given, result, [one, two, three]], index) =>
            `${result} ${index % 2 === 0 ? `${result}::` : ''}${given}(${result} x) { ${one}(); x.${two}(); x.${three}(); }`,
        ),
      ].join('\n');
  }
}

/** Adds the files, replaces one, and returns the paths whose uses may mean something else. */
async function usingAfter(
  before: Readonly<Record<string, string>>,
  path: string,
  text: string,
): Promise<readonly string[] | 'all'> {
  const files = new RepositoryFiles(temporaryFolder());
  for (const file of await parse(before)) files.add(file.path, 'v1', file);
  const [parsed] = await parse({ [path]: text });
  const using = files.using(files.set(path, 'v2', parsed));
  files.close();
  return using === 'all' ? using : [...using].toSorted();
}

it('names the files that use a changed function, also under another name', async () => {
  const before = {
    'a.ts': "import { other } from './b.ts';\nother();\n",
    'b.ts': "export { renew as other } from './c.ts';\n",
    'c.ts': 'export function renew() {}\n',
    'd.ts': "import { held } from './c.ts';\nheld();\n",
  };
  expect(await usingAfter(before, 'c.ts', 'export function held() {}\n')).toEqual([
    'a.ts',
    'b.ts',
    'c.ts',
    'd.ts',
  ]);
  expect(await usingAfter(before, 'c.ts', `// 2\n${before['c.ts']}export function free() {}\n`)).toEqual([
    'c.ts',
  ]);
  expect(await usingAfter(before, 'd.ts', "import { renew } from './c.ts';\nrenew();\n")).toEqual([
    'a.ts',
    'b.ts',
    'c.ts',
    'd.ts',
  ]);
});

it('names the files that use a function whose declared result changed, and no others', async () => {
  const door = 'export class Door {\n  shut() {}\n}\nexport class Gate {\n  shut() {}\n}\n';
  const before = {
    'a.ts': "import { open } from './b.ts';\nconst it = open();\nit.shut();\n",
    'b.ts': `${door}export function open(): Door {\n  return held;\n}\n`,
    'c.ts': 'export function read() {}\n',
  };
  expect(await usingAfter(before, 'b.ts', before['b.ts'].replace('open(): Door', 'open(): Gate'))).toEqual([
    'a.ts',
    'b.ts',
  ]);
});

it.each([
  [
    'a field of a type',
    'export function run(shop: Shop) {\n  shop.door.shut();\n}\n',
    'export class Shop {\n  door: Door;\n}\n',
  ],
  ['a variable', "import { door } from './b.ts';\ndoor.shut();\n", 'export const door: Door = held;\n'],
])('names the files that use %s whose declared type changed, and no others', async (_, using, declaring) => {
  const before = { 'a.ts': using, 'b.ts': declaring, 'c.ts': 'export function read() {}\n' };
  expect(await usingAfter(before, 'b.ts', declaring.replace(': Door', ': Gate'))).toEqual(['a.ts', 'b.ts']);
});

it('names the files that use a variable whose type follows from a changed result', async () => {
  const before = {
    'a.ts': "import { door } from './b.ts';\ndoor.shut();\n",
    'b.ts': "import { open } from './c.ts';\nexport const door = open();\n",
    'c.ts': 'export function open(): Door {}\n',
    'd.ts': 'export function read() {}\n',
  };
  const after = before['c.ts'].replace('Door', 'Gate');
  expect(await usingAfter(before, 'c.ts', after)).toEqual(['a.ts', 'b.ts', 'c.ts']);
});

it.each([
  ['a type', { 'a.ts': '' }, 'a.ts', 'export class Door {}\n'],
  ['a base type', { 'a.ts': 'class A {}\nclass B {}\n' }, 'a.ts', 'class A {}\nclass B extends A {}\n'],
  [
    'the import of a declared result',
    { 'a.ts': "import { T } from './b.ts';\nexport function f(): T {}\n" },
    'a.ts',
    "import { T } from './c.ts';\nexport function f(): T {}\n",
  ],
  [
    'a function that a file imports as a declared result',
    { 'p/a.py': 'from p.b import T\ndef f() -> T:\n    pass\n', 'p/b.py': '' },
    'p/b.py',
    'def T(): pass\n',
  ],
  ['an import of all names', { 'a.ts': '' }, 'a.ts', "export * from './b.ts';\n"],
  ['a package', { 'a.go': 'package a\n' }, 'a.go', 'package b\n'],
])('names all files after a change of %s', async (_, before, path, text) => {
  expect(await usingAfter(before, path, text)).toBe('all');
});

it('names each file whose facts a change of another file changes', async () => {
  const random = createRandom(1);
  const files = new RepositoryFiles(temporaryFolder());
  const packages = new RepositoryPackages(
    new Map([
      [
        'package.json',
        {
          ecosystem: 'npm',
          provides: 'n',
          entries: new Map([
            ['', ['a.js']],
            ['/b', ['b.js']],
          ]),
          asks: [],
        },
      ],
      ['pyproject.toml', { ecosystem: 'pypi', provides: 'p', asks: [] }],
      ['g/go.mod', { ecosystem: 'go', provides: 'example.com/g', asks: [] }],
    ]),
  );
  let exported = 0;
  const place = {
    repositoryId: 'r',
    host: 'github.com',
    symbols: files.symbols,
    exports: new PackageExports(packages, files.symbols),
    uniqueEnd: () => undefined,
    sources: [],
  };
  const factsOf = (path: string): string => {
    const { nodes, edges } = fileFacts(place, {
      path,
      language: languageOf(path),
      parsed: files.parsed(path),
      text: undefined,
      owners: [],
    });
    exported += edges.filter(({ rule }) => rule === 'export').length;
    return JSON.stringify([nodes, edges]);
  };
  const contents = new Map<string, Content>();
  const known = new Map<string, string>();
  let narrow = 0;
  const steps = sampleSize({ sample: 300, all: 5_000 });
  for (let step = 0; step < steps; step++) {
    const path = random.pick(paths)!;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const ending = path.slice(path.lastIndexOf('.'));
    const provided = (module: string): readonly string[] => {
      const { functions: own, imports } = contents.get(`${folder}${module}${ending}`) ?? none;
      return [...own.map(([given]) => given), ...imports.map(([, , local]) => local)];
    };
    const content = anyContent(random, provided, contents.get(path));
    const text = print(path, content);
    const [parsed] = await parse({ [path]: text });
    const isRemoved = random.below(20) === 0;
    const changed = files.using(isRemoved ? files.delete(path) : files.set(path, String(step), parsed));
    if (isRemoved) contents.delete(path);
    else contents.set(path, content);
    known.delete(path);
    place.exports = new PackageExports(packages, files.symbols);
    for (const each of files.known.keys()) {
      const facts = factsOf(each);
      const isNamed = each === path || changed === 'all' || changed.has(each);
      if (!isNamed) expect(facts, `step ${step}: ${path} became\n${text}\n; ${each}`).toBe(known.get(each));
      known.set(each, facts);
    }
    if (changed !== 'all') narrow += 1;
  }
  expect(narrow).toBeGreaterThan(steps / 40);
  expect(exported).toBeGreaterThan(steps);
  files.close();
});
