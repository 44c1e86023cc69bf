import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestRepository } from '../../../../../test/support/git-repository.ts';
import { indexedFiles } from '../../../../../test/support/indexed-files.ts';
import {
  numberedFiles as files,
  folderOf,
  id,
  kindsOf,
  manifestOf,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/indexed-repository.ts';
import { memoryLog } from '../../../../../test/support/memory-log.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../../port.ts';
import { INDEXER } from '../format/indexer.ts';
import { type Manifest, manifestFile } from '../format/manifest.ts';
import { openCodeIndex } from '../open-embedded-code-search.ts';

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

describe('an index that pushes left apart', () => {
  let head: string;

  beforeEach(async () => {
    await apply(repository.commit({ ...files(20), 'image.png': Buffer.from([0, 1]) }));
    repository.git('mv', 'src/f19.ts', 'src/moved.ts');
    await apply(repository.commit(files(6, 'changed')));
    head = repository.git('rev-parse', 'HEAD');
  });

  it('says that it is untidy, and is not any more', async () => {
    const before = await index.status(scope, id);
    expect(before?.untidy).toBe(true);
    const after = await index.tidy(request(head), signal);
    expect(after).toEqual({ ...before, generation: 3, untidy: false });
    expect(await index.status(scope, id)).toEqual(after);
    expect(await index.tidy(request(head), signal)).toEqual(after);
  });

  it('answers as before, from one base without a dead document', async () => {
    const before = indexedFiles(root, 'org');
    await index.tidy(request(head), signal);
    expect(kinds()).toEqual(['base']);
    expect(manifest().segments[0]).toMatchObject({ dead: 0, documents: 21 });
    expect(indexedFiles(root, 'org')).toEqual(before);
  });

  it('is merged without the copy of the repository, and goes on from there', async () => {
    const away = { ...request(head), gitDir: join(root, 'nothing') };
    const { log, lines } = memoryLog();
    expect((await openCodeIndex({ root, log }).tidy(away, signal)).untidy).toBe(true);
    expect(lines).toMatchObject([{ repository: id, msg: expect.stringContaining('past commits') as string }]);
    expect(kinds()).toEqual(['base']);
    expect((await index.tidy(request(head), signal)).untidy).toBe(false);
    await apply(repository.commit({ 'src/f1.ts': 'later\n' }));
    expect(indexedFiles(root, 'org')).toMatchObject({ 'src/f1.ts': 'later\n', 'src/moved.ts': 'kept 19\n' });
  });

  it('stays at its commit when a push came meanwhile', async () => {
    const later = repository.commit({ 'later.ts': 'x\n' });
    expect((await index.tidy(request(later), signal)).commit).toBe(head);
    expect((await apply(later)).commit).toBe(later);
  });

  it('stays as it is when the work gives way', async () => {
    const before = manifest();
    const stop = AbortSignal.abort(new Error('something else waits'));
    await expect(index.tidy(request(head), stop)).rejects.toThrow('something else waits');
    expect(manifest()).toEqual(before);
  });
});

describe('an index of a former program', () => {
  it('answers, takes pushes, and is built anew when it is tidied', async () => {
    const first = repository.commit(files(20));
    await apply(first);
    expect((await index.tidy(request(first), signal)).untidy).toBe(false);
    writeFileSync(manifestFile(folder()), JSON.stringify({ ...manifest(), indexer: INDEXER - 1 }));
    expect(await index.status(scope, id)).toMatchObject({ untidy: true });
    expect(indexedFiles(root, 'org')).toEqual(files(20));
    const head = repository.commit({ 'src/f1.ts': 'changed\n' });
    expect(await apply(head)).toMatchObject({ untidy: true, commit: head });
    expect(await index.tidy(request(head), signal)).toMatchObject({ untidy: false });
    expect(manifest().indexer).toBe(INDEXER);
    expect(indexedFiles(root, 'org')).toEqual({ ...files(20), 'src/f1.ts': 'changed\n' });
  });
});

describe('an index without anything to tidy', () => {
  it('is left alone', async () => {
    const { commit } = await apply(repository.commit(files(3)));
    const status = await index.tidy(request(commit), signal);
    expect(status).toMatchObject({ generation: 1, untidy: false });
    expect(await index.tidy(request(commit), signal)).toEqual(status);
    expect(await apply(commit)).toEqual(status);
  });

  it('gives way, too, while what past commits say is read', async () => {
    const { commit } = await apply(repository.commit(files(3)));
    const { log, lines } = memoryLog();
    const stop = new AbortController();
    const reading = openCodeIndex({ root, log }).tidy(request(commit), stop.signal);
    stop.abort(new Error('something else waits'));
    await expect(reading).rejects.toThrow('something else waits');
    expect(lines).toEqual([]);
    expect((await index.tidy(request(commit), signal)).untidy).toBe(false);
  });

  it('is made where there is none', async () => {
    const to = repository.commit(files(3));
    expect(await index.tidy(request(to), signal)).toMatchObject({ generation: 1, files: 3, untidy: false });
  });
});
