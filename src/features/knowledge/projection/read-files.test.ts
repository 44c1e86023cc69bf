import { expect, it } from 'vitest';
import { ParseBudget } from '../../../backends/languages/parse/parse-budget.ts';
import type { FileParser, ParseResult, SourceText } from '../../../backends/languages/port.ts';
import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { parseEntries } from './read-files.ts';

const entries = Array.from({ length: 70 }, (_, index) => ({ path: `${index}.ts`, oid: `${index}` }));
const reader = { read: () => Promise.resolve(Buffer.from('')) } as unknown as BlobReader;
const { signal } = new AbortController();
const unparsed = { reasonOf: () => undefined, remember: () => Promise.resolve() };
const deps = { reader, unparsed, budget: new ParseBudget(), signal };

const withoutNames = ({ path, language }: SourceText): ParseResult => ({
  path,
  language,
  package: undefined,
  symbols: [],
  imports: [],
  calls: [],
  references: [],
});

/** A parser that records what it is given. */
function recording(fails: (files: readonly SourceText[]) => boolean = () => false) {
  const given: string[] = [];
  const parser: FileParser = {
    parseFiles: async (files) => {
      given.push(...files.map(({ path }) => path));
      if (fails(files)) throw new Error('refused');
      return files.map(withoutNames);
    },
  };
  return { given, parser };
}

it('returns all files in their order', async () => {
  const { parser } = recording();
  const paths: (string | undefined)[] = [];
  for await (const [entry, parsed] of parseEntries({ ...deps, parser }, entries)) {
    expect(parsed?.path).toBe(entry.path);
    paths.push(entry.path);
  }
  expect(paths).toEqual(entries.map(({ path }) => path));
  for await (const entry of parseEntries({ ...deps, parser }, [])) expect(entry).toBeUndefined();
});

it('parses the next files while the former are used, and no further', async () => {
  const { given, parser } = recording();
  for await (const [{ path }] of parseEntries({ ...deps, parser }, entries)) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(given).toHaveLength(64);
    if (path === '31.ts') break;
  }
});

it('throws what parsing throws, once the former files are used', async () => {
  const { parser } = recording((files) => files.some(({ path }) => path === '40.ts'));
  const paths: string[] = [];
  const read = async (): Promise<void> => {
    for await (const [{ path }] of parseEntries({ ...deps, parser }, entries)) {
      await new Promise((resolve) => setImmediate(resolve));
      paths.push(path);
    }
  };
  await expect(read()).rejects.toThrow('refused');
  expect(paths).toHaveLength(32);
});

it('parses a script whose first line names its language, and no other file without an extension', async () => {
  const given: SourceText[] = [];
  const parser: FileParser = {
    parseFiles: (files) => {
      given.push(...files);
      return Promise.resolve(files.map(withoutNames));
    },
  };
  const texts: Record<string, string> = { deploy: '#!/usr/bin/env python3\n', LICENSE: 'MIT\n' };
  const scripts = {
    read: (oid: string) => Promise.resolve(Buffer.from(texts[oid] ?? '')),
  } as unknown as BlobReader;
  const found = Object.keys(texts).map((path) => ({ path, oid: path }));
  for await (const [{ path }, parsed] of parseEntries({ ...deps, reader: scripts, parser }, found))
    expect(parsed?.language).toBe(path === 'deploy' ? 'Python' : undefined);
  expect(given.map(({ path, language }) => [path, language])).toEqual([['deploy', 'Python']]);
});
