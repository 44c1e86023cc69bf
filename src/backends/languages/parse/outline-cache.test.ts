import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { UnnamedFile } from '../../../foundation/kernel/unnamed-file.ts';
import type { ParseResult, SourceText } from '../outline.ts';
import { OutlineCache } from './outline-cache.ts';

const { signal } = new AbortController();
const parsed: string[] = [];
let failed: 'too_slow' | 'budget' | undefined;
let folder: string;
let cache: OutlineCache;

const parser = {
  async parseFiles(files: readonly SourceText[]): Promise<readonly ParseResult[]> {
    return files.map(({ path, language, text }) => {
      parsed.push(path);
      if (failed !== undefined) return { path, failed };
      const symbols = [{ name: text, kind: 'function', line: 1, endLine: 1, qualifiedName: text } as const];
      return { path, language, package: undefined, symbols, imports: [], calls: [], references: [] };
    });
  },
};

const source = (path: string, text: string, language = 'Go'): SourceText => ({ path, language, text });

async function namesOf(...files: SourceText[]): Promise<string[]> {
  const results = await cache.parseFiles(files, signal);
  return results.map((result) =>
    'failed' in result ? result.failed : `${result.path} ${result.symbols[0]!.name}`,
  );
}

beforeEach(() => {
  parsed.length = 0;
  failed = undefined;
  folder = temporaryFolder();
  cache = new OutlineCache(parser, folder, 500);
});
afterEach(() => cache.close());

it('parses a text once, whatever the path', async () => {
  expect(await namesOf(source('a.go', 'one'), source('b.go', 'two'))).toEqual(['a.go one', 'b.go two']);
  expect(await namesOf(source('c.go', 'three'), source('moved.go', 'one'))).toEqual([
    'c.go three',
    'moved.go one',
  ]);
  expect(parsed).toEqual(['a.go', 'b.go', 'c.go']);
});

it('parses a text once for two callers at the same time', async () => {
  const both = [namesOf(source('a.go', 'one')), namesOf(source('b.go', 'one'), source('c.go', 'two'))];
  expect(await Promise.all(both)).toEqual([['a.go one'], ['b.go one', 'c.go two']]);
  expect(parsed).toEqual(['a.go', 'c.go']);
});

it('parses a text again if the other caller ran out of its budget', async () => {
  failed = 'budget';
  const first = namesOf(source('a.go', 'one'));
  const second = namesOf(source('b.go', 'one'));
  failed = undefined;
  expect(await Promise.all([first, second])).toEqual([['budget'], ['b.go one']]);
});

it('parses a text again in another language, or as a file that may be in another one', async () => {
  await namesOf(source('a.c', 'one', 'C'));
  await namesOf(source('a.cc', 'one', 'C++'));
  await namesOf(source('a.h', 'one', 'C'));
  expect(parsed).toEqual(['a.c', 'a.cc', 'a.h']);
});

it('keeps why a file could not be parsed, but not that a budget was used up', async () => {
  failed = 'too_slow';
  expect(await namesOf(source('a.go', 'one'))).toEqual(['too_slow']);
  failed = 'budget';
  expect(await namesOf(source('a.go', 'one'), source('b.go', 'two'))).toEqual(['too_slow', 'budget']);
  failed = undefined;
  expect(await namesOf(source('b.go', 'two'))).toEqual(['b.go two']);
});

it('drops all results when it is full, and leaves no file behind', async () => {
  for (let number = 0; number < 40; number++) await namesOf(source('a.go', `text ${number}`));
  await namesOf(source('a.go', 'text 39'), source('a.go', 'text 0'));
  expect(parsed).toHaveLength(41);
  expect(readdirSync(folder)).toEqual([]);
});

it('reads nothing that it could not write', async () => {
  await namesOf(source('a.go', 'before'));
  vi.spyOn(UnnamedFile.prototype, 'append').mockImplementationOnce(() => {
    throw new Error('no space left on device');
  });
  await expect(namesOf(source('a.go', 'one'))).rejects.toThrow('no space left');
  expect(await namesOf(source('a.go', 'two'))).toEqual(['a.go two']);
  expect(await namesOf(source('a.go', 'one'))).toEqual(['a.go one']);
});
