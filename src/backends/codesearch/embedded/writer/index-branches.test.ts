import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { indexedFiles, segmentBytes } from '../../../../../test/support/codesearch/indexed-files.ts';
import {
  numberedFiles as files,
  folderOf,
  openIndexedRepository,
  requestOf,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import type { BranchHead, CodeIndex, IndexRequest, IndexStatus } from '../../port.ts';
import { readManifest } from '../format/manifest.ts';

const { signal } = new AbortController();

let root: string;
let index: CodeIndex;
let repository: TestRepository;

beforeEach(() => {
  ({ root, index, repository } = openIndexedRepository());
});

const folder = (): string => folderOf(root);
const on = (branch: string): Record<string, string> => indexedFiles(root, 'org', branch);

/** Commits changes on top of `from`, on a separate branch. */
function branchOff(from: string, name: string, changed: Record<string, string>): BranchHead {
  repository.git('checkout', '--quiet', '-B', name, from);
  return { name, commit: repository.commit(changed) };
}

function request(...branches: [BranchHead, ...BranchHead[]]): IndexRequest {
  return { ...requestOf(repository, branches[0].commit), branches };
}

const apply = (...branches: [BranchHead, ...BranchHead[]]): Promise<IndexStatus> =>
  index.apply(request(...branches), signal);

describe('an index of several branches', () => {
  let main: BranchHead;
  let next: BranchHead;
  const ofNext = { ...files(20), 'src/f1.ts': 'of next\n', 'next.ts': 'new\n' };

  beforeEach(() => {
    main = { name: 'main', commit: repository.commit(files(20)) };
    next = branchOff(main.commit, 'next', { 'src/f1.ts': 'of next\n', 'next.ts': 'new\n' });
  });

  it.each(['from the first', 'later'])(
    'contains each branch, and searches the default branch by default: %s',
    async (when) => {
      if (when === 'later') await apply(main);
      const status = await apply(main, next);
      expect(status).toMatchObject({ commit: main.commit, branches: [main, next], files: 22 });
      expect([on('HEAD'), on('main'), on('next')]).toEqual([files(20), files(20), ofNext]);
      expect([on('n?xt'), on('ne*'), on('other'), on('nex')]).toEqual([ofNext, ofNext, {}, {}]);
    },
  );

  it('updates each of them independently', async () => {
    await apply(main, next);
    const later = branchOff(main.commit, 'main', { 'src/f2.ts': 'of main\n' });
    repository.git('checkout', '--quiet', 'next');
    repository.git('rm', '--quiet', 'src/f3.ts');
    const further = { name: 'next', commit: repository.commit({ 'src/f1.ts': 'kept 1\n' }) };
    await apply(later, further);
    expect(on('main')).toEqual({ ...files(20), 'src/f2.ts': 'of main\n' });
    const { 'src/f3.ts': _, ...rest } = files(20);
    expect(on('next')).toEqual({ ...rest, 'next.ts': 'new\n' });
  });

  it('removes a branch and reuses its bit for another', async () => {
    await apply(main, next);
    expect(await apply(main)).toMatchObject({ branches: [main], files: 20 });
    expect(on('next')).toEqual({});
    const other = branchOff(main.commit, 'other', { 'other.ts': 'x\n' });
    await apply(main, other);
    expect(on('other')).toEqual({ ...files(20), 'other.ts': 'x\n' });
    expect(on('main')).toEqual(files(20));
  });

  it('changes the default branch', async () => {
    await apply(main, next);
    expect(await apply(next, main)).toMatchObject({ commit: next.commit, branches: [next, main] });
    expect([on('HEAD'), on('next'), on('main')]).toEqual([ofNext, ofNext, files(20)]);
  });

  it('updates a rewritten branch whose previous commit is gone', async () => {
    await apply(main, next);
    rmSync(join(repository.folder, '.git'), { recursive: true });
    repository = createRepository(files(20));
    const same = { name: 'main', commit: repository.git('rev-parse', 'HEAD') };
    const rewritten = branchOff(same.commit, 'next', { 'src/f7.ts': 'rewritten\n' });
    await apply(same, rewritten);
    expect(on('main')).toEqual(files(20));
    expect(on('next')).toEqual({ ...files(20), 'src/f7.ts': 'rewritten\n' });
    expect(readManifest(folder())?.segments.map(({ kind }) => kind)).toEqual(['base', 'delta']);
  });

  it('moves a file on one branch and not on another', async () => {
    await apply(main, next);
    repository.git('checkout', '--quiet', 'next');
    repository.git('mv', 'src/f5.ts', 'src/moved.ts');
    await apply(main, { name: 'next', commit: repository.commit({}) });
    expect(on('main')).toEqual(files(20));
    const { 'src/f5.ts': text, ...rest } = ofNext as Record<string, string>;
    expect(on('next')).toEqual({ ...rest, 'src/moved.ts': text });
  });

  it('returns the same results after compaction', async () => {
    await apply(main, next);
    const further = branchOff(next.commit, 'next', files(12, 'changed'));
    await apply(main, further);
    const before = [on('main'), on('next')];
    expect(await index.compact(request(main, further), signal)).toMatchObject({
      needsCompaction: false,
      files: 33,
    });
    expect([on('main'), on('next')]).toEqual(before);
  });

  it('is not written again if nothing changed', async () => {
    const first = await apply(main, next);
    expect(await apply(main, next)).toEqual(first);
  });
});

describe('branches with the same content', () => {
  it('share one set of postings', async () => {
    const text = Object.fromEntries(
      Array.from({ length: 50 }, (_, file) => [
        `f${file}.ts`,
        `const name${file} = 'of ${file}';\n`.repeat(100),
      ]),
    );
    const main = { name: 'main', commit: repository.commit(text) };
    await apply(main);
    const alone = segmentBytes(folder());
    const others = Array.from({ length: 63 }, (_, number) =>
      branchOff(main.commit, `topic-${number}`, { [`only-${number}.ts`]: `${number}\n` }),
    );
    expect((await apply(main, ...others)).files).toBe(50 + 63);
    expect(on('topic-40')).toEqual({ ...text, 'only-40.ts': '40\n' });
    expect(on('main')).toEqual(text);
    expect(segmentBytes(folder()) / alone).toBeLessThan(1.2);
  });

  it('are refused beyond 64', async () => {
    const main = { name: 'main', commit: repository.commit({ 'a.ts': 'a\n' }) };
    const others = Array.from({ length: 64 }, (_, number) => ({ ...main, name: `b${number}` }));
    await expect(apply(main, ...others)).rejects.toMatchObject({ code: 'too_many_branches' });
  });
});
