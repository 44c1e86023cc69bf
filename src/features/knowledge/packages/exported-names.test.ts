import { describe, expect, it } from 'vitest';
import { tableOf } from '../../../../test/support/graph/resolving.ts';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import type { FileSymbol, ImportedName, Manifest, ParsedFile } from '../../../backends/languages/port.ts';
import { FactList } from '../links/fact-list.ts';
import { addExports } from '../links/package-facts.ts';
import { PackageExports } from './exported-names.ts';
import { RepositoryPackages } from './repository-packages.ts';

const symbol = (qualifiedName: string): FileSymbol => ({
  name: qualifiedName.split('.').at(-1)!,
  kind: qualifiedName.includes('.') ? 'method' : 'class',
  qualifiedName,
  line: 1,
  endLine: 1,
});
const file = (
  path: string,
  names: readonly string[],
  imports: readonly Omit<ImportedName, 'line'>[] = [],
): ParsedFile => ({
  path,
  language: 'TypeScript',
  package: undefined,
  symbols: names.map(symbol),
  imports: imports.map((each) => ({ ...each, line: 1 })),
  calls: [],
  references: [],
});

function aliasesOf(files: readonly ParsedFile[], manifest: Partial<Manifest>): readonly string[] {
  const packages = new RepositoryPackages(
    new Map([['package.json', { ecosystem: 'npm', provides: 'acme', asks: [], ...manifest }]]),
  );
  const facts = new FactList();
  const exports = new PackageExports(packages, tableOf(files));
  for (const each of files) addExports(facts, { repositoryId: 'r', exports }, each);
  return facts.edges.map(({ from, to }) => `${from.replace(/^alias:export:/, '')} ${to}`);
}

describe('the names by which a package is imported', () => {
  it('are those that its entries pass on, without private ones and tests', () => {
    const files = [
      file('src/index.ts', ['own'], [{ source: './a.ts', name: 'Kept', local: 'Kept' }]),
      file('src/a.ts', ['Kept', 'Kept.send', 'Kept._hidden', 'Inner']),
      file('src/index.test.ts', ['own']),
    ];
    expect(aliasesOf(files, { entries: new Map([['', ['./dist/index.js']]]) })).toEqual([
      'npm:acme.own symbol:r:src/index.ts#own/class',
      'npm:acme.Kept symbol:r:src/a.ts#Kept/class',
      'npm:acme.Kept.send symbol:r:src/a.ts#Kept.send/method',
    ]);
    expect(aliasesOf(files, { entries: new Map([['', ['./bin/cli.js']]]) })).toEqual([]);
    expect(aliasesOf(files, { entries: new Map([['/lib/*', ['./dist/*.js']]]) })).toContain(
      'npm:acme/lib/a.Kept symbol:r:src/a.ts#Kept/class',
    );
  });

  it('are limited for hostile files, in number and in time', () => {
    const entries = new Map(Array.from({ length: 500 }, (_, n) => [`/e${n}`, ['./index.js']]));
    const names = Array.from({ length: 4_000 }, (_, n) => ['T', `T.m${n}`]).flat();
    const renames = Array.from({ length: 1_000 }, (_, n) => ({ source: '', name: 'T', local: `T${n}` }));
    const processorMs = measureProcessor();
    const circle = Array.from({ length: 300 }, (_, n) =>
      file(`f${n}.ts`, [`x${n}`], [{ source: `./f${(n + 1) % 300}.ts`, name: '*', local: undefined }]),
    );
    expect(aliasesOf([file('index.ts', names, renames)], { entries })).toHaveLength(5_000);
    const rounds = new Map([['', ['./f0.ts']]]);
    expect(aliasesOf(circle, { entries: rounds }).length).toBeLessThan(10);
    expect(processorMs()).toBeLessThan(5_000);
  });
});
