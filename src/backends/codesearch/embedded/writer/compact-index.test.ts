import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { indexedFiles } from '../../../../../test/support/codesearch/indexed-files.ts';
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
import type { TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { memoryLog } from '../../../../../test/support/memory-log.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../../port.ts';
import { indexerVersion } from '../format/indexer.ts';
import { type Manifest, manifestFile } from '../format/manifest.ts';

const { signal } = new AbortController();

let root: string;
let index: CodeIndex;
let repository: TestRepository;

beforeEach(() => {
  ({ root, index, repository } = openIndexedRepository());
});

const folder = (): string => folderOf(root);
const manifest = (): Manifest => manifestOf(root);
const kinds = (): string[] => kindsOf(root);

const request = (to: string): IndexRequest => requestOf(repository, to);

const apply = (to: string): Promise<IndexStatus> => index.apply(request(to), signal);

describe('an index with segments of several pushes', () => {
  let head: string;

  beforeEach(async () => {
    await apply(repository.commit({ ...files(20), 'image.png': Buffer.from([0, 1]) }));
    repository.git('mv', 'src/f19.ts', 'src/moved.ts');
    await apply(repository.commit(files(6, 'changed')));
    head = repository.git('rev-parse', 'HEAD');
  });

  it('needs compaction, and does not afterwards', async () => {
    const before = await index.status(scope, id);
    expect(before?.needsCompaction).toBe(true);
    const after = await index.compact(request(head), signal);
    expect(after).toEqual({ ...before, generation: 3, needsCompaction: false });
    expect(await index.status(scope, id)).toEqual(after);
    expect(await index.compact(request(head), signal)).toEqual(after);
  });

  it('returns the same results from one base without dead documents', async () => {
    const before = indexedFiles(root, 'org');
    await index.compact(request(head), signal);
    expect(kinds()).toEqual(['base']);
    expect(manifest().segments[0]).toMatchObject({ dead: 0, documents: 21 });
    expect(indexedFiles(root, 'org')).toEqual(before);
  });

  it('is merged without the copy of the repository, and can be updated afterwards', async () => {
    const away = { ...request(head), gitDir: join(root, 'nothing') };
    const { log, lines } = memoryLog();
    expect((await openTestIndex({ root, log }).compact(away, signal)).needsCompaction).toBe(true);
    expect(lines).toMatchObject([{ repository: id, msg: expect.stringContaining('past commits') as string }]);
    expect(kinds()).toEqual(['base']);
    expect((await index.compact(request(head), signal)).needsCompaction).toBe(false);
    await apply(repository.commit({ 'src/f1.ts': 'later\n' }));
    expect(indexedFiles(root, 'org')).toMatchObject({ 'src/f1.ts': 'later\n', 'src/moved.ts': 'kept 19\n' });
  });

  it('stays at its commit when a push arrived in the meantime', async () => {
    const later = repository.commit({ 'later.ts': 'x\n' });
    expect((await index.compact(request(later), signal)).commit).toBe(head);
    expect((await apply(later)).commit).toBe(later);
  });

  it('stays unchanged when the compaction is aborted', async () => {
    const before = manifest();
    const stop = AbortSignal.abort(new Error('something else waits'));
    await expect(index.compact(request(head), stop)).rejects.toThrow('something else waits');
    expect(manifest()).toEqual(before);
  });
});

describe('an index of an earlier version', () => {
  it('serves results, accepts pushes, and is rebuilt by compaction', async () => {
    const first = repository.commit(files(20));
    await apply(first);
    expect((await index.compact(request(first), signal)).needsCompaction).toBe(false);
    writeFileSync(
      manifestFile(folder()),
      JSON.stringify({ ...manifest(), indexerVersion: indexerVersion + 1 }),
    );
    expect(await index.status(scope, id)).toMatchObject({ needsCompaction: true });
    expect(indexedFiles(root, 'org')).toEqual(files(20));
    const head = repository.commit({ 'src/f1.ts': 'changed\n' });
    expect(await apply(head)).toMatchObject({ needsCompaction: true, commit: head });
    expect(await index.compact(request(head), signal)).toMatchObject({ needsCompaction: false });
    expect(manifest().indexerVersion).toBe(indexerVersion);
    expect(indexedFiles(root, 'org')).toEqual({ ...files(20), 'src/f1.ts': 'changed\n' });
  });
});

describe('an index that needs no compaction', () => {
  it('is not changed', async () => {
    const { commit } = await apply(repository.commit(files(3)));
    const status = await index.compact(request(commit), signal);
    expect(status).toMatchObject({ generation: 1, needsCompaction: false });
    expect(await index.compact(request(commit), signal)).toEqual(status);
    expect(await apply(commit)).toEqual(status);
  });

  it('can be aborted while past commits are read', async () => {
    const { commit } = await apply(repository.commit(files(3)));
    const { log, lines } = memoryLog();
    const stop = new AbortController();
    const reading = openTestIndex({ root, log }).compact(request(commit), stop.signal);
    stop.abort(new Error('something else waits'));
    await expect(reading).rejects.toThrow('something else waits');
    expect(lines).toEqual([]);
    expect((await index.compact(request(commit), signal)).needsCompaction).toBe(false);
  });

  it('is created if it does not exist', async () => {
    const to = repository.commit(files(3));
    expect(await index.compact(request(to), signal)).toMatchObject({
      generation: 1,
      files: 3,
      needsCompaction: false,
    });
  });
});
