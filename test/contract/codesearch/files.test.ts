import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type {
  CodeIndex,
  CodeSearch,
  FileMatch,
  IndexStatus,
  Query,
  SearchRequest,
} from '../../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { applyAndDefine, indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient, regex } from './query.ts';

/** Tests unusual files in repositories: every skipped file is counted, and every text file can be found. */
const mebibyte = 1024 * 1024;
const id = 'repo' as RepositoryId;
let index: CodeIndex;
let search: CodeSearch;
let repository: TestRepository;

beforeEach(() => {
  const root = temporaryFolder();
  index = openTestIndex({ root, log: silentLog });
  search = openCodeSearch({ root, log: silentLog, threads: 1 });
  repository = createRepository();
});
afterEach(async () => {
  await search.close();
});

async function apply(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<IndexStatus> {
  repository.commit(files);
  return applyHead();
}

async function applyHead(): Promise<IndexStatus> {
  const to = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  await applyAndDefine(index, indexRequest({ scope: ours, repository: id, gitDir, to }));
  // Formats the counts as operators see them, not as the writer stores them.
  return (await index.status(ours, id))!;
}

async function find(query: Query, more: Partial<SearchRequest> = {}): Promise<readonly FileMatch[]> {
  const result = await search.search(ours, ask(query, { deadlineMs: 30_000, ...more }), patient);
  expect(result.incomplete).toBeUndefined();
  return result.files;
}

async function paths(query: Query): Promise<string[]> {
  return (await find(query)).map((file) => file.path).toSorted();
}

describe('a file that is too large', () => {
  it('of 100 MB in one line is counted and skipped, and the files next to it are found', async () => {
    const status = await apply({
      'dump.json': `"${'needle '.repeat((100 * mebibyte) / 7)}"`,
      'a.ts': 'needle\n',
    });
    expect(status).toMatchObject({ files: 1, bytes: 7, skipped: { too_large: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
  });

  it('is skipped when a push adds it, and indexed once it has shrunk', async () => {
    await apply({ 'a.ts': 'needle\n', 'b.ts': 'b\n', 'c.ts': 'c\n', 'd.ts': 'd\n', 'e.ts': 'e\n' });
    expect(await apply({ 'b.ts': 'needle '.repeat(mebibyte) })).toMatchObject({
      files: 4,
      skipped: { too_large: 1 },
    });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
    expect(await apply({ 'b.ts': 'needle again\n' })).toMatchObject({ files: 5, skipped: {} });
    expect(await paths(literal('needle'))).toEqual(['a.ts', 'b.ts']);
  });

  it('is one of more than 1 MiB', async () => {
    const exactly = 'needle'.padStart(mebibyte, 'x');
    const status = await apply({ 'fits.txt': exactly, 'too-large.txt': `${exactly}.` });
    expect(status).toMatchObject({ files: 1, bytes: mebibyte, skipped: { too_large: 1 } });
    expect(await paths(literal('needle'))).toEqual(['fits.txt']);
  });
});

describe('a line of 1 MiB', () => {
  it('is found by a literal at its end and shown around the match', async () => {
    await apply({ 'min.js': 'needle'.padStart(mebibyte, 'x;') });
    const [file] = await find(literal('needle'));
    expect(file?.matches).toMatchObject([{ line: 1, column: mebibyte - 5, length: 6 }]);
    const { text, textOffset } = file!.matches[0]!;
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text.indexOf('needle')).toBe(mebibyte - 6 - textOffset);
  });

  it('is found by a pattern that matches it from start to end', async () => {
    await apply({ 'min.js': `start${'x;'.repeat(mebibyte / 2 - 10)}needle` });
    const [file] = await find(regex('^start.*needle$'));
    expect(file?.matches).toMatchObject([{ line: 1, column: 1, textOffset: 0 }]);
    expect(file?.matches[0]?.text).toHaveLength(2000);
  });

  it('does not delay a pattern beyond its deadline', async () => {
    await apply({ 'min.js': 'ab'.repeat(mebibyte / 2) });
    const started = performance.now();
    const request = ask(regex('a.*a.*a.*a.*needle|b.*b.*b.*bX'), { deadlineMs: 500 });
    const result = await search.search(ours, request, patient);
    expect(performance.now() - started).toBeLessThan(20_000);
    // The search either reports that it did not finish, or it finished and found nothing.
    expect(result.files).toEqual([]);
    expect(['deadline', undefined]).toContain(result.incomplete);
    expect(await paths(literal('abab'))).toEqual(['min.js']);
  });
});

describe('bytes that are not UTF-8', () => {
  it('are text: the text next to them is found, and they are shown as replacement characters', async () => {
    const latin1 = Buffer.from('price: 5\xa3 needle\n', 'latin1');
    const status = await apply({ 'latin1.txt': latin1, 'cut.txt': Buffer.from([0xe2, 0x82, 0x0a, 0xc3]) });
    expect(status).toMatchObject({ files: 2, skipped: {} });
    const [file] = await find(literal('needle'));
    expect(file).toMatchObject({
      path: 'latin1.txt',
      matches: [{ text: 'price: 5\ufffd needle', column: 11 }],
    });
    expect(await paths(regex('5.needle'))).toEqual([]);
  });

  it('make a file binary when it has a NUL near the start: it is counted, not searched, and found by its path', async () => {
    const status = await apply({ 'a.bin': Buffer.from('needle\0needle\n'), 'a.ts': 'needle\n' });
    expect(status).toMatchObject({ files: 1, skipped: { binary: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
  });

  it('are text with a NUL in it when the NUL comes after 8 KiB', async () => {
    const status = await apply({ 'late.txt': `${'x'.repeat(9000)}\0\nneedle\n` });
    expect(status).toMatchObject({ files: 1, skipped: {} });
    expect((await find(literal('needle')))[0]?.matches[0]).toMatchObject({ line: 2, column: 1 });
  });

  it('are text in UTF-16 of either byte order with a byte order mark', async () => {
    const little = Buffer.from('\ufefffirst é\r\n👍 needle\r\n', 'utf16le');
    const status = await apply({ 'little.txt': little, 'big.txt': Buffer.from(little).swap16() });
    expect(status).toMatchObject({ files: 2, skipped: {} });
    const files = await find(regex('needle$'));
    expect(files.map((file) => file.path).toSorted()).toEqual(['big.txt', 'little.txt']);
    expect(files[0]?.matches).toMatchObject([{ line: 2, column: 4, length: 6, text: '👍 needle' }]);
    expect(await paths(regex('^first'))).toEqual(['big.txt', 'little.txt']);
  });

  it('are counted as too large in UTF-16 that is larger in UTF-8 than the limit', async () => {
    const wide = Buffer.from(`\ufeff${'語'.repeat(mebibyte / 2 - 1)}`, 'utf16le');
    expect(await apply({ 'wide.txt': wide })).toMatchObject({ files: 0, skipped: { too_large: 1 } });
  });
});

describe('line ends and file ends', () => {
  it('are not shown as CRLF, but match where a pattern contains one', async () => {
    await apply({ 'crlf.txt': 'one needle\r\ntwo\r\n' });
    const [file] = await find(literal('needle'), { contextLines: 1 });
    expect(file?.matches).toMatchObject([{ line: 1, text: 'one needle', column: 5, after: ['two'] }]);
    expect(await paths(regex('needle\\r$'))).toEqual(['crlf.txt']);
    expect((await find(regex('needle$')))[0]?.matches).toMatchObject([
      { line: 1, text: 'one needle', length: 6 },
    ]);
  });

  it('do not include a byte order mark in the first line', async () => {
    await apply({ 'bom.ts': '\ufeffimport needle\nsecond\n' });
    const [file] = await find(regex('^import'));
    expect(file?.matches).toMatchObject([{ line: 1, column: 1, text: 'import needle' }]);
    expect(await paths(literal('\ufeff'))).toEqual([]);
  });

  it('may be missing: the last line is found without a line break, and an empty file by its path', async () => {
    expect(await apply({ 'empty.txt': '', 'last.txt': 'first\nneedle' })).toMatchObject({
      files: 2,
      bytes: 12,
    });
    expect((await find(regex('^needle$')))[0]).toMatchObject({ path: 'last.txt', matches: [{ line: 2 }] });
    expect(await paths(regex('^$'))).toEqual([]);
    expect(await paths(literal('empty', 'path'))).toEqual(['empty.txt']);
  });
});

describe('a script without an extension', () => {
  it('has the language of the interpreter in its first line, also after it moved', async () => {
    const python = '#!/usr/bin/env python3\ndef deploy_all():\n    pass\n';
    const shell = '#!/bin/sh\nstart_all() {\n  :\n}\n';
    await apply({ 'bin/deploy': python, 'start.txt': shell, LICENSE: 'deploy_all\n' });
    const defines = (text: string): Query => ({ kind: 'symbol', form: 'literal', text, caseSensitive: true });
    expect(await find(defines('deploy_all'))).toMatchObject([{ path: 'bin/deploy', language: 'Python' }]);
    expect(await paths({ kind: 'language', name: 'Shell' })).toEqual([]);
    repository.git('mv', 'start.txt', 'start');
    repository.git('mv', 'bin/deploy', 'deploy');
    await apply();
    expect(await paths({ kind: 'language', name: 'Shell' })).toEqual(['start']);
    expect(await paths({ kind: 'language', name: 'Python' })).toEqual(['deploy']);
    expect(await paths(defines('start_all'))).toEqual(['start']);
  });
});

describe('file names', () => {
  it.each([
    ['new\nline.txt', 'line.t'],
    ['quo"te.txt', 'quo"te'],
    ["apo'strophe.txt", "apo'"],
    ['tab\t.txt', 'b\t.'],
    ['back\\slash.txt', 'k\\s'],
    [' .txt', ' .txt'],
    ['日本.txt', '本'],
  ])('like %j are found by content and by path and returned unchanged', async (name, part) => {
    await apply({ [name]: 'needle\n' });
    expect(await paths(literal('needle'))).toEqual([name]);
    expect(await paths(literal(part, 'path'))).toEqual([name]);
  });

  it('that are not UTF-8 are returned with replacement characters and differ where the bytes differ', async () => {
    for (const byte of [0xff, 0xfe]) {
      const path = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([byte])]);
      writeFileSync(path, 'needle\n');
    }
    expect(await apply()).toMatchObject({ files: 2, skipped: {} });
    expect(await paths(literal('needle'))).toEqual(['caf\\xFE', 'caf\\xFF']);
  });
});

describe('an entry that is not a regular file', () => {
  it('is counted by its reason: a symbolic link, a submodule, a pointer of Git LFS', async () => {
    symlinkSync('a.ts', join(repository.folder, 'link.ts'));
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    repository.commit({ 'a.ts': 'needle\n', 'model.bin': pointer });
    const submodule = createRepository({ 'inner.ts': 'needle\n' }).git('rev-parse', 'HEAD');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${submodule},vendored`);
    repository.git('commit', '--quiet', '--message', 'Add a submodule');
    const status = await applyHead();
    expect(status).toMatchObject({ files: 1, skipped: { symlink: 1, submodule: 1, lfs_pointer: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
    expect(await paths(literal('sha256'))).toEqual([]);
    expect(await apply({ 'model.bin': 'needle\n' })).toMatchObject({ files: 2, skipped: { symlink: 1 } });
  });
});

describe('a repository that is removed while it is searched', () => {
  it('returns its complete answer or none, and then is gone', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, file) => [`src/${file}.ts`, `needle ${'x'.repeat(20_000)}\n`]),
    );
    await apply(files);
    await find(literal('needle'));
    const request = ask(literal('needle'));
    const searches = Array.from({ length: 20 }, () => search.search(ours, request, patient));
    await index.remove(ours, id);
    for (const { files: found, incomplete } of await Promise.all(searches)) {
      expect([0, 50]).toContain(found.length);
      expect(incomplete).toBeUndefined();
    }
    expect(await paths(literal('needle'))).toEqual([]);
    expect(await index.status(ours, id)).toBeUndefined();
  });
});
