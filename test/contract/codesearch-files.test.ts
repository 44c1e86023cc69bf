import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type {
  CodeIndex,
  CodeSearch,
  FileMatch,
  IndexStatus,
  Query,
  SearchRequest,
} from '../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { createRepository, type TestRepository } from '../support/git-repository.ts';
import { indexRequest } from '../support/index-request.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ask, literal, ours, patient, regex } from './codesearch-query.ts';

/** What lies in repositories and is no tidy text: whatever is left out is counted, whatever is text is found. */
const MIB = 1024 * 1024;
const id = 'repo' as RepositoryId;
let index: CodeIndex;
let search: CodeSearch;
let repository: TestRepository;

beforeEach(() => {
  const root = temporaryFolder();
  index = openCodeIndex({ root, log: silentLog });
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
  await index.apply(indexRequest({ scope: ours, repository: id, gitDir, to }), patient);
  // As an operator is told, not as the writer knows it.
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
  it('of 100 MB in one line is counted and left out; the files beside it are found', async () => {
    const status = await apply({ 'dump.json': `"${'needle '.repeat((100 * MIB) / 7)}"`, 'a.ts': 'needle\n' });
    expect(status).toMatchObject({ files: 1, bytes: 7, skipped: { too_large: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
  });

  it('is left out where a push brings it, too, and indexed once it has shrunk', async () => {
    await apply({ 'a.ts': 'needle\n', 'b.ts': 'b\n', 'c.ts': 'c\n', 'd.ts': 'd\n', 'e.ts': 'e\n' });
    expect(await apply({ 'b.ts': 'needle '.repeat(MIB) })).toMatchObject({
      files: 4,
      skipped: { too_large: 1 },
    });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
    expect(await apply({ 'b.ts': 'needle again\n' })).toMatchObject({ files: 5, skipped: {} });
    expect(await paths(literal('needle'))).toEqual(['a.ts', 'b.ts']);
  });

  it('begins at one byte more than 1 MiB', async () => {
    const exactly = 'needle'.padStart(MIB, 'x');
    const status = await apply({ 'fits.txt': exactly, 'too-large.txt': `${exactly}.` });
    expect(status).toMatchObject({ files: 1, bytes: MIB, skipped: { too_large: 1 } });
    expect(await paths(literal('needle'))).toEqual(['fits.txt']);
  });
});

describe('a line of 1 MiB', () => {
  it('is found by a literal at its end and shown round the match', async () => {
    await apply({ 'min.js': 'needle'.padStart(MIB, 'x;') });
    const [file] = await find(literal('needle'));
    expect(file?.matches).toMatchObject([{ line: 1, column: MIB - 5, length: 6 }]);
    const { text, textOffset } = file!.matches[0]!;
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text.indexOf('needle')).toBe(MIB - 6 - textOffset);
  });

  it('is found by a pattern that goes from its start to its end', async () => {
    await apply({ 'min.js': `start${'x;'.repeat(MIB / 2 - 10)}needle` });
    const [file] = await find(regex('^start.*needle$'));
    expect(file?.matches).toMatchObject([{ line: 1, column: 1, textOffset: 0 }]);
    expect(file?.matches[0]?.text).toHaveLength(2000);
  });

  it('does not hold up a pattern for longer than its deadline', async () => {
    await apply({ 'min.js': 'ab'.repeat(MIB / 2) });
    const started = performance.now();
    const request = ask(regex('a.*a.*a.*a.*needle|b.*b.*b.*bX'), { deadlineMs: 500 });
    const result = await search.search(ours, request, patient);
    expect(performance.now() - started).toBeLessThan(500 + 100 + 400);
    // Either it says that it did not come to an end, or it did: there is nothing to find.
    expect(result.files).toEqual([]);
    expect(['deadline', undefined]).toContain(result.incomplete);
    expect(await paths(literal('abab'))).toEqual(['min.js']);
  });
});

describe('bytes that are no UTF-8', () => {
  it('are text: what stands beside them is found, and they show as a mark', async () => {
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

  it('with a NUL near the start make a file binary: counted, not searched, found by its path', async () => {
    const status = await apply({ 'a.bin': Buffer.from('needle\0needle\n'), 'a.ts': 'needle\n' });
    expect(status).toMatchObject({ files: 1, skipped: { binary: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
  });

  it('with a NUL after 8 KiB are text with a NUL in it', async () => {
    const status = await apply({ 'late.txt': `${'x'.repeat(9000)}\0\nneedle\n` });
    expect(status).toMatchObject({ files: 1, skipped: {} });
    expect((await find(literal('needle')))[0]?.matches[0]).toMatchObject({ line: 2, column: 1 });
  });

  it('of UTF-16 are counted as binary, in either order', async () => {
    const little = Buffer.from('\ufeffneedle\n', 'utf16le');
    const status = await apply({ 'little.txt': little, 'big.txt': Buffer.from(little).swap16() });
    expect(status).toMatchObject({ files: 0, skipped: { binary: 2 } });
    expect(await paths(literal('needle'))).toEqual([]);
  });
});

describe('the ends of lines and of files', () => {
  it('of Windows are not shown, and stand where a pattern says so', async () => {
    await apply({ 'crlf.txt': 'one needle\r\ntwo\r\n' });
    const [file] = await find(literal('needle'), { contextLines: 1 });
    expect(file?.matches).toMatchObject([{ line: 1, text: 'one needle', column: 5, after: ['two'] }]);
    expect(await paths(regex('needle\\r$'))).toEqual(['crlf.txt']);
  });

  it('do not begin with a mark of the byte order', async () => {
    await apply({ 'bom.ts': '\ufeffimport needle\nsecond\n' });
    const [file] = await find(regex('^import'));
    expect(file?.matches).toMatchObject([{ line: 1, column: 1, text: 'import needle' }]);
    expect(await paths(literal('\ufeff'))).toEqual([]);
  });

  it('may be missing: the last line is found without one, and an empty file by its path alone', async () => {
    expect(await apply({ 'empty.txt': '', 'last.txt': 'first\nneedle' })).toMatchObject({
      files: 2,
      bytes: 12,
    });
    expect((await find(regex('^needle$')))[0]).toMatchObject({ path: 'last.txt', matches: [{ line: 2 }] });
    expect(await paths(regex('^$'))).toEqual([]);
    expect(await paths(literal('empty', 'path'))).toEqual(['empty.txt']);
  });
});

describe('names of files', () => {
  it.each([
    ['new\nline.txt', 'line.t'],
    ['quo"te.txt', 'quo"te'],
    ["apo'strophe.txt", "apo'"],
    ['tab\t.txt', 'b\t.'],
    ['back\\slash.txt', 'k\\s'],
    [' .txt', ' .txt'],
    ['日本.txt', '本'],
  ])('such as %j are found by content and by path, and told as they are', async (name, part) => {
    await apply({ [name]: 'needle\n' });
    expect(await paths(literal('needle'))).toEqual([name]);
    expect(await paths(literal(part, 'path'))).toEqual([name]);
  });

  it('that are no UTF-8 are told with their bytes marked, and differ where the bytes do', async () => {
    for (const byte of [0xff, 0xfe]) {
      const path = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([byte])]);
      writeFileSync(path, 'needle\n');
    }
    expect(await apply()).toMatchObject({ files: 2, skipped: {} });
    expect(await paths(literal('needle'))).toEqual(['caf\\xFE', 'caf\\xFF']);
  });
});

describe('what is no file of its own', () => {
  it('is counted: symbolic links and submodules; a pointer of Git LFS is text', async () => {
    symlinkSync('a.ts', join(repository.folder, 'link.ts'));
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    repository.commit({ 'a.ts': 'needle\n', 'model.bin': pointer });
    const submodule = createRepository({ 'inner.ts': 'needle\n' }).git('rev-parse', 'HEAD');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${submodule},vendored`);
    repository.git('commit', '--quiet', '--message', 'Add a submodule');
    const status = await applyHead();
    expect(status).toMatchObject({ files: 2, skipped: { symlink: 1, submodule: 1 } });
    expect(await paths(literal('needle'))).toEqual(['a.ts']);
    expect(await paths(literal('oid sha256:4d7a'))).toEqual(['model.bin']);
  });
});

describe('a repository that is removed while it is searched', () => {
  it('is answered from whole or not at all, and then gone', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, file) => [`src/${file}.ts`, `needle ${'x'.repeat(20_000)}\n`]),
    );
    await apply(files);
    await find(literal('needle'));
    const request = ask(literal('needle'));
    const asked = Array.from({ length: 20 }, () => search.search(ours, request, patient));
    await index.remove(ours, id);
    for (const { files: found, incomplete } of await Promise.all(asked)) {
      expect([0, 50]).toContain(found.length);
      expect(incomplete).toBeUndefined();
    }
    expect(await paths(literal('needle'))).toEqual([]);
    expect(await index.status(ours, id)).toBeUndefined();
  });
});
