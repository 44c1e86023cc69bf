import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import {
  folderOf,
  id,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import type { TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import type { CodeIndex, RankedFile } from '../../port.ts';
import type { PastCommit } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { prepareHistory } from '../read/prepared-history.ts';
import { pastCommits } from './past-commits.ts';
import { rankSegments } from './rank-segments.ts';

const { signal } = new AbortController();
const same = 'export const value = "wakes and sleeps";\n';
let root: string;
let index: CodeIndex;
let repository: TestRepository;

beforeEach(() => {
  ({ root, index, repository } = openIndexedRepository({
    'src/a.ts': same,
    'src/b.ts': same,
    'src/c.ts': 'export {};\n',
  }));
});
/** Applies a push, then compacts the index. */
async function apply(): Promise<void> {
  const to = repository.git('rev-parse', 'HEAD');
  const request = requestOf(repository, to);
  expect(await index.apply(request, signal)).toMatchObject({ commit: to, needsCompaction: true });
  await index.compact(request, signal);
}

/** Ranks in this thread, so that a busy machine changes nothing. */
function rank(...terms: string[]): readonly RankedFile[] {
  const indexes = new OpenIndexes(root);
  const { segments } = indexes.inRange({ organizationId: scope.organizationId });
  const request = { terms, identifiers: [], paths: [], question: '', limit: 10, waitMs: 30_000 };
  const { files } = rankSegments(request, segments, { shouldStop: () => false, arena: textArena() });
  indexes.close();
  return files;
}

const paths = (files: readonly RankedFile[]): string[] => files.map((file) => file.path);
const historyFile = (): string => join(folderOf(root), 'history');

it('ranks a file that a similar change touched above an identical one, and names the change', async () => {
  const commit = repository.commit(
    { 'src/b.ts': `${same}\n` },
    'Leases survive a host that sleeps\n\nBy time.',
  );
  await apply();
  const files = rank('lease', 'sleeping');
  expect(paths(files)).toEqual(['src/b.ts', 'src/a.ts']);
  const change = `similar change: Leases survive a host that sleeps (${commit.slice(0, 7)})`;
  expect(files[0]?.reasons).toContain(change);
  expect(files[1]?.reasons).not.toContain(change);
});

it('finds a file that contains no term of the question itself', async () => {
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry sleepy webhooks');
  await apply();
  const files = rank('wakes', 'webhooks');
  expect(paths(files).toSorted()).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts']);
  expect(files.find((file) => file.path === 'src/c.ts')?.reasons).toEqual([
    expect.stringContaining('similar change: Retry sleepy webhooks'),
  ]);
});

const past = (subject: string, ...touched: string[]): PastCommit => ({
  id: 'f'.repeat(40),
  time: 1_800_000_000,
  subject,
  terms: Uint32Array.from(wordsOf(subject).keys()),
  paths: touched,
});
const hashOf = (word: string): number => [...wordsOf(word).keys()][0]!;

it('weighs changes of a file by their age and size, for any question', () => {
  const others = Array.from({ length: 100 }, () => past('', 'other.ts'));
  const commits = [
    past('', 'new.ts', 'docs/new.md'),
    past('', 'wide.ts', 'new.ts'),
    ...others,
    past('', 'old.ts'),
  ];
  const { recency, files } = pastCommits(prepareHistory({ commit: 'f'.repeat(40), commits }), [], undefined);
  const of = (path: string): number => recency(path);
  // A document beside the code does not spread a change over more code.
  expect(of('new.ts')).toBeCloseTo(Math.log(1 + 1 + Math.exp(-0.01) / Math.SQRT2));
  expect(of('wide.ts')).toBeCloseTo(Math.log(1 + Math.exp(-0.01) / Math.SQRT2));
  expect(of('old.ts')).toBeCloseTo(Math.log(1 + Math.exp(-1.02)));
  expect(files.size).toBe(0);
});

it('knows the files that the subjects of their changes describe, and the words that say little in messages', () => {
  const commits = [past('Fix lease', 'a.ts'), past('Fix queue', 'b.ts'), past('Fix queue', 'b.ts')];
  const terms = [hashOf('lease'), hashOf('fix')];
  const { files, informative } = pastCommits(
    prepareHistory({ commit: 'f'.repeat(40), commits }),
    terms,
    undefined,
  );
  expect(files.get('a.ts')?.described?.[0]).toBeGreaterThan(0);
  expect(files.get('b.ts')?.described?.[0]).toBe(0);
  expect(files.get('a.ts')?.similar).toBeGreaterThan(files.get('b.ts')?.similar ?? 1);
  expect(informative[0]).toBeGreaterThan(informative[1] ?? 1);
});

it('knows the files that changes of the same area touched', () => {
  const commits = [
    past('fix(router): Match slashes', 'a.ts'),
    past('router: Keep order', 'b.ts'),
    past('fix: x', 'c.ts'),
  ];
  const { files } = pastCommits(prepareHistory({ commit: 'f'.repeat(40), commits }), [], 'Router');
  expect([...files.keys()]).toEqual(['a.ts', 'b.ts']);
  expect(files.get('a.ts')?.area).toBeGreaterThan(files.get('b.ts')?.area ?? 1);
});

it('ignores a commit that touches more than fifty files', async () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, file) => [`src/many/${file}.ts`, 'x\n']));
  repository.commit({ ...many, 'src/c.ts': 'export const x = 1;\n' }, 'Reformat sleepers');
  await apply();
  expect(paths(rank('wakes', 'reformat'))).toEqual(['src/a.ts', 'src/b.ts']);
});

it('updates the history with each push, and deletes it with the repository', async () => {
  await apply();
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  expect(paths(rank('wakes', 'webhooks'))).toContain('src/c.ts');
  // Opening the index deletes files that no generation references.
  openTestIndex({ root, log: silentLog });
  expect(readFileSync(historyFile()).length).toBeGreaterThan(0);
  await index.remove(scope, id);
  expect(() => readFileSync(historyFile())).toThrow('ENOENT');
});

it('drops the commits that a forced push removed', async () => {
  const start = repository.git('rev-parse', 'HEAD');
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  repository.git('reset', '--quiet', '--hard', start);
  repository.commit({ 'src/a.ts': `${same}\n` }, 'Polish');
  await apply();
  expect(paths(rank('wakes', 'webhooks')).toSorted()).toEqual(['src/a.ts', 'src/b.ts']);
});

it('ignores a damaged history until the next push rewrites it', async () => {
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  const bytes = readFileSync(historyFile());
  bytes[bytes.length - 20]! ^= 1;
  writeFileSync(historyFile(), bytes);
  expect(paths(rank('wakes', 'webhooks'))).toEqual(['src/a.ts', 'src/b.ts']);
  repository.commit({ 'README.md': 'x' }, 'Read me');
  await apply();
  expect(paths(rank('wakes', 'webhooks'))).toContain('src/c.ts');
});

it('makes a push searchable even if the history cannot be written', async () => {
  repository.commit({ 'src/d.ts': 'needles\n' }, 'Add needles');
  await apply();
  rmSync(historyFile());
  mkdirSync(join(historyFile(), 'in the way'), { recursive: true });
  repository.commit({ 'src/e.ts': 'needles\n' }, 'Add more needles');
  await apply();
  expect(paths(rank('needles'))).toEqual(['src/d.ts', 'src/e.ts']);
  expect((await index.status(scope, id))?.needsCompaction).toBe(true);
});
