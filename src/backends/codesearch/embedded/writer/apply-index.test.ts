import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { indexedFiles as filesOf } from '../../../../../test/support/codesearch/indexed-files.ts';
import {
  numberedFiles as files,
  folderOf,
  id,
  kindsOf,
  manifestOf,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { CodeIndex, IndexStatus } from '../../port.ts';
import type { Manifest } from '../format/manifest.ts';
import { breakWriteLock, takeWriteLock } from '../format/write-lock.ts';

const { signal } = new AbortController();

let root: string;
let index: CodeIndex;
let repository: TestRepository;

beforeEach(() => {
  ({ root, index, repository } = openIndexedRepository());
});

async function apply(to: string, within = signal): Promise<IndexStatus> {
  return index.apply(requestOf(repository, to), within);
}

const folder = (): string => folderOf(root);
const manifest = (): Manifest => manifestOf(root);
const kinds = (): string[] => kindsOf(root);

const indexedFiles = (): Record<string, string> => filesOf(root, 'org');

describe('an update of an index', () => {
  it('adds a delta for a small change and keeps the base', async () => {
    await apply(repository.commit(files(10)));
    const base = manifest().segments[0]!.file;
    await apply(repository.commit({ 'src/f3.ts': 'changed\n' }));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(manifest().segments[0]).toMatchObject({ file: base, dead: 1 });
    expect(indexedFiles()).toEqual({ ...files(10), 'src/f3.ts': 'changed\n' });
  });

  it('replaces a file that an earlier delta replaced', async () => {
    await apply(repository.commit(files(30)));
    for (const text of ['one\n', 'two\n', 'three\n']) await apply(repository.commit({ 'src/f3.ts': text }));
    expect(indexedFiles()).toEqual({ ...files(30), 'src/f3.ts': 'three\n' });
  });

  it('drops a delta without live documents', async () => {
    await apply(repository.commit(files(30)));
    await apply(repository.commit({ 'src/f3.ts': 'one\n' }));
    await apply(repository.commit({ 'src/f3.ts': 'two\n' }));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(indexedFiles()).toEqual({ ...files(30), 'src/f3.ts': 'two\n' });
  });

  it('merges deltas when there would be more than eight, and keeps the base', async () => {
    await apply(repository.commit(files(60)));
    const base = manifest().segments[0]!.file;
    for (let round = 0; round < 8; round++) await apply(repository.commit({ [`new${round}.ts`]: 'x\n' }));
    expect(kinds()).toHaveLength(9);
    repository.git('mv', 'new3.ts', 'moved3.ts');
    await apply(repository.commit({ 'new8.ts': 'x\n', 'new0.ts': 'y\n' }));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(manifest().segments[0]!.file).toBe(base);
    const [{ 'new3.ts': moved, ...others }, added] = [
      indexedFiles(),
      { 'new0.ts': 'y\n', 'moved3.ts': 'x\n' },
    ];
    expect(moved).toBeUndefined();
    expect(others).toMatchObject({ ...files(60), ...added });
    expect(Object.keys(others)).toHaveLength(69);
  });

  it('merges young deltas before it rewrites a large one', async () => {
    await apply(repository.commit(files(60)));
    await apply(repository.commit({ 'large.ts': 'a line of text\n'.repeat(20_000) }));
    const large = manifest().segments[1]!.file;
    for (let round = 0; round < 8; round++) await apply(repository.commit({ [`new${round}.ts`]: 'x\n' }));
    expect(kinds()).toEqual(['base', 'delta', 'delta']);
    expect(manifest().segments[1]!.file).toBe(large);
    expect(Object.keys(indexedFiles())).toHaveLength(69);
  });

  it('never rewrites the whole repository, even after a large change', async () => {
    await apply(repository.commit(files(10)));
    const next = await apply(repository.commit(files(9, 'changed')));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(next.needsCompaction).toBe(true);
    expect(indexedFiles()).toEqual({ ...files(10), ...files(9, 'changed') });
  });

  it('changes the path of a moved file without writing a segment', async () => {
    await apply(repository.commit(files(10)));
    repository.git('mv', 'src/f3.ts', 'src/moved.ts');
    await apply(repository.commit({}));
    const { 'src/f3.ts': text = '', ...others } = files(10);
    expect(indexedFiles()).toEqual({ ...others, 'src/moved.ts': text });
    expect(kinds()).toEqual(['base']);
    repository.git('mv', 'src/moved.ts', 'src/f3.ts');
    await apply(repository.commit({}));
    expect(indexedFiles()).toEqual(files(10));
    expect(kinds()).toEqual(['base']);
  });

  it('updates a moved file that is changed, moved again or deleted', async () => {
    await apply(repository.commit(files(10)));
    for (const name of ['f1', 'f2', 'f3']) repository.git('mv', `src/${name}.ts`, `src/moved-${name}.ts`);
    await apply(repository.commit({}));
    repository.git('mv', 'src/moved-f2.ts', 'src/again.ts');
    repository.git('rm', '--quiet', 'src/moved-f3.ts');
    await apply(repository.commit({ 'src/moved-f1.ts': 'changed\n', 'src/f3.ts': 'another\n' }));
    const { 'src/f1.ts': _1, 'src/f2.ts': second = '', 'src/f3.ts': _3, ...others } = files(10);
    const moved = { 'src/moved-f1.ts': 'changed\n', 'src/again.ts': second, 'src/f3.ts': 'another\n' };
    expect(indexedFiles()).toEqual({ ...others, ...moved });
  });

  it.each([
    ['another kind of file', 'test/f3.ts'],
    ['another language', 'src/f3.py'],
  ])('indexes a file again that moved to %s', async (_, to) => {
    await apply(repository.commit({ ...files(10), 'test/a.ts': 'a\n' }));
    repository.git('mv', 'src/f3.ts', to);
    await apply(repository.commit({}));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(indexedFiles()).toHaveProperty([to], 'kept 3\n');
    expect(indexedFiles()).not.toHaveProperty(['src/f3.ts']);
  });

  it('reuses the document of a restored file', async () => {
    await apply(repository.commit(files(10)));
    await apply(repository.commit({ 'src/f3.ts': 'changed\n' }));
    await apply(repository.commit(files(10)));
    expect(kinds()).toEqual(['base']);
    expect(indexedFiles()).toEqual(files(10));
  });

  it('compares blobs if the indexed commit is gone', async () => {
    await apply(repository.commit(files(20)));
    const fresh = createRepository({ ...files(19), 'src/f7.ts': 'rewritten\n', 'other.ts': 'new\n' });
    repository = fresh;
    await apply(fresh.git('rev-parse', 'HEAD'));
    expect(kinds()).toEqual(['base', 'delta']);
    expect(indexedFiles()).toEqual({ ...files(19), 'src/f7.ts': 'rewritten\n', 'other.ts': 'new\n' });
  });

  it('only records the commit when no file changed', async () => {
    const first = await apply(repository.commit(files(2)));
    const next = await apply(repository.commit({}, 'Nothing'));
    expect(next).toMatchObject({ generation: 2, files: 2, bytes: first.bytes });
    expect(kinds()).toEqual(['base']);
  });

  it('indexes an empty commit', async () => {
    expect(await apply(repository.commit({}, 'Nothing'))).toMatchObject({ generation: 1, files: 0 });
    expect(await index.status(scope, id)).toMatchObject({ files: 0 });
  });

  it('counts skipped files by reason until they are deleted', async () => {
    symlinkSync('a.ts', join(repository.folder, 'link'));
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n';
    repository.commit({
      'a.ts': 'text\n',
      'large.ts': 'x'.repeat(1024 * 1024 + 1),
      'binary.png': Buffer.from([1, 0, 2]),
      'late-nul.txt': `${'x'.repeat(9000)}\0\n`,
      'big.bin': pointer,
    });
    const submodule = createRepository({ 'inner.ts': 'x\n' }).git('rev-parse', 'HEAD');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${submodule},sub`);
    repository.git('commit', '--quiet', '--message', 'Add a submodule');
    const first = await apply(repository.git('rev-parse', 'HEAD'));
    expect(first.skipped).toEqual({ too_large: 1, binary: 1, symlink: 1, submodule: 1, lfs_pointer: 1 });
    expect(first.files).toBe(2);
    expect(indexedFiles()).not.toHaveProperty(['big.bin']);
    repository.git('rm', '--quiet', 'large.ts', 'binary.png', 'big.bin');
    repository.git('commit', '--quiet', '--message', 'Remove files');
    const next = await apply(repository.git('rev-parse', 'HEAD'));
    expect(next.files).toBe(2);
    expect(next.skipped).toEqual({ symlink: 1, submodule: 1 });
  });

  it('replaces a file by a link that shares its blob', async () => {
    await apply(repository.commit({ ...files(8), 'name.ts': 'src/f1.ts' }));
    rmSync(join(repository.folder, 'name.ts'));
    symlinkSync('src/f1.ts', join(repository.folder, 'name.ts'));
    expect((await apply(repository.commit({}))).skipped).toEqual({ symlink: 1 });
    expect(Object.keys(indexedFiles())).not.toContain('name.ts');
  });

  it('detects a link that shares a blob also if the indexed commit is gone', async () => {
    await apply(repository.commit({ ...files(8), 'name.ts': 'src/f1.ts' }));
    repository = createRepository(files(8));
    symlinkSync('src/f1.ts', join(repository.folder, 'name.ts'));
    expect((await apply(repository.commit({}))).skipped).toEqual({ symlink: 1 });
    expect(Object.keys(indexedFiles())).not.toContain('name.ts');
  });

  it('changes nothing when it is aborted', async () => {
    const first = repository.commit(files(5));
    await apply(first);
    const stopped = apply(repository.commit(files(5, 'changed')), AbortSignal.timeout(1));
    await expect(stopped).rejects.toThrow();
    expect(manifest().commit).toBe(first);
    expect(readdirSync(folder()).toSorted()).toEqual(['manifest', manifest().segments[0]!.file].toSorted());
    await apply(repository.git('rev-parse', 'HEAD'));
    expect(indexedFiles()).toEqual(files(5, 'changed'));
  });

  it('refuses to write while another writer holds the lock', async () => {
    const commit = repository.commit(files(1));
    await apply(commit);
    const other = takeWriteLock(folder());
    await expect(apply(repository.commit(files(2)))).rejects.toThrow(Unavailable);
    other?.release();
    expect((await apply(repository.git('rev-parse', 'HEAD'))).files).toBe(2);
  });

  it('gives up when another writer was faster', async () => {
    const slow = expect(apply(repository.commit(files(50)))).rejects.toThrow();
    breakWriteLock(folder());
    const faster = repository.commit(files(2, 'faster'));
    await apply(faster);
    await slow;
    expect(manifest().commit).toBe(faster);
    expect(Object.keys(indexedFiles())).toHaveLength(50);
  });

  it('gives up when the repository is removed in the meantime', async () => {
    const first = expect(apply(repository.commit(files(50)))).rejects.toThrow();
    await index.remove(scope, id);
    await first;
    expect(await index.status(scope, id)).toBeUndefined();
  });
});

describe('a damaged index', () => {
  const damage = (file: string, at: number): void => {
    const bytes = readFileSync(join(folder(), file));
    bytes[at < 0 ? bytes.length + at : at]! ^= 0xff;
    writeFileSync(join(folder(), file), bytes);
  };

  it.each([
    ['the header', 40],
    ['the text', 4096],
    ['the last table', -1],
  ])('with damage in %s has no status and is rebuilt', async (_, at) => {
    const commit = repository.commit(files(3));
    await apply(commit);
    damage(manifest().segments[0]!.file, at);
    expect(await index.status(scope, id)).toBeUndefined();
    expect(await apply(commit)).toMatchObject({ generation: 2, files: 3 });
    expect(indexedFiles()).toEqual(files(3));
  });

  it('of an unknown format is rebuilt', async () => {
    const commit = repository.commit(files(3));
    await apply(commit);
    writeFileSync(join(folder(), 'manifest'), JSON.stringify({ ...manifest(), format: 99 }));
    expect(await index.status(scope, id)).toBeUndefined();
    expect(await apply(commit)).toMatchObject({ files: 3 });
  });

  it('with a missing segment is rebuilt', async () => {
    const commit = repository.commit(files(3));
    await apply(commit);
    rmSync(join(folder(), manifest().segments[0]!.file));
    expect(await index.status(scope, id)).toBeUndefined();
    expect(await apply(commit)).toMatchObject({ files: 3 });
  });

  it('with damaged overrides is rebuilt', async () => {
    await apply(repository.commit(files(10)));
    const commit = repository.commit({ 'src/f1.ts': 'changed\n' });
    await apply(commit);
    damage(manifest().segments[0]!.overrides!.file, 0);
    expect(await index.status(scope, id)).toBeUndefined();
    await apply(commit);
    expect(indexedFiles()).toEqual({ ...files(10), 'src/f1.ts': 'changed\n' });
  });
});

describe('the start of an index', () => {
  it('deletes what killed processes left', async () => {
    await apply(repository.commit(files(2)));
    writeFileSync(join(folder(), 'base-9-00000000.seg'), 'half');
    writeFileSync(join(folder(), 'manifest.tmp'), 'half');
    openTestIndex({ root, log: silentLog });
    expect(readdirSync(folder()).toSorted()).toEqual(['manifest', manifest().segments[0]!.file].toSorted());
    expect(indexedFiles()).toEqual(files(2));
  });
});
