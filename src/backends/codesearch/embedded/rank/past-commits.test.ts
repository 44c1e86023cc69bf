import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestRepository } from '../../../../../test/support/git-repository.ts';
import {
  folderOf,
  id,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/indexed-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import type { CodeIndex, CodeSearch, RankedFile } from '../../port.ts';
import type { PastCommit } from '../format/history-file.ts';
import { openCodeIndex, openCodeSearch } from '../open-embedded-code-search.ts';
import { pastCommits } from './past-commits.ts';

const { signal } = new AbortController();
const same = 'export const value = "wakes and sleeps";\n';
let root: string;
let index: CodeIndex;
let search: CodeSearch;
let repository: TestRepository;

beforeEach(() => {
  ({ root, index, repository } = openIndexedRepository({
    'src/a.ts': same,
    'src/b.ts': same,
    'src/c.ts': 'export {};\n',
  }));
  search = openCodeSearch({ root, log: silentLog, threads: 1 });
});
afterEach(async () => {
  await search.close();
});

/** A push, and the quiet after it. */
async function apply(): Promise<void> {
  const to = repository.git('rev-parse', 'HEAD');
  const request = requestOf(repository, to);
  expect(await index.apply(request, signal)).toMatchObject({ commit: to, untidy: true });
  await index.tidy(request, signal);
}

async function rank(...terms: string[]): Promise<readonly RankedFile[]> {
  const request = { terms, identifiers: [], paths: [], limit: 10 };
  // The first question also waits for the thread to start.
  for (;;) {
    const { files, incomplete } = await search.rank(scope, request, signal);
    if (incomplete === undefined) return files;
  }
}

const paths = (files: readonly RankedFile[]): string[] => files.map((file) => file.path);
const historyFile = (): string => join(folderOf(root), 'history');

it('lifts the file that a similar change touched over one that reads the same, and says which change', async () => {
  const commit = repository.commit(
    { 'src/b.ts': `${same}\n` },
    'Leases survive a host that sleeps\n\nBy time.',
  );
  await apply();
  const files = await rank('lease', 'sleeping');
  expect(paths(files)).toEqual(['src/b.ts', 'src/a.ts']);
  const change = `similar change: Leases survive a host that sleeps (${commit.slice(0, 7)})`;
  expect(files[0]?.reasons).toContain(change);
  expect(files[1]?.reasons).not.toContain(change);
});

it('finds a file that says nothing of the question itself', async () => {
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry sleepy webhooks');
  await apply();
  const files = await rank('wakes', 'webhooks');
  expect(paths(files).toSorted()).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts']);
  expect(files.find((file) => file.path === 'src/c.ts')?.reasons).toEqual([
    expect.stringContaining('similar change: Retry sleepy webhooks'),
  ]);
});

it('counts what changed lately half as much for each three months, whatever was asked', () => {
  const past = (days: number, ...touched: string[]): PastCommit => ({
    id: 'f'.repeat(40),
    time: 1_800_000_000 - days * 24 * 3600,
    subject: '',
    terms: new Uint32Array(),
    paths: touched,
  });
  const commits = [past(0, 'new.ts'), past(90, 'old.ts', 'new.ts'), past(180, 'older.ts')];
  const { recency, similar } = pastCommits({ commit: 'f'.repeat(40), commits }, []);
  expect([...recency]).toEqual([
    ['new.ts', 1],
    ['old.ts', 0.5],
    ['older.ts', 0.25],
  ]);
  expect(similar.size).toBe(0);
});

it('hears nothing from a commit that touches more than fifty files', async () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, file) => [`src/many/${file}.ts`, 'x\n']));
  repository.commit({ ...many, 'src/c.ts': 'export const x = 1;\n' }, 'Reformat sleepers');
  await apply();
  expect(paths(await rank('wakes', 'reformat'))).toEqual(['src/a.ts', 'src/b.ts']);
});

it('follows the branch with each push, and is gone with the repository', async () => {
  await apply();
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  expect(paths(await rank('wakes', 'webhooks'))).toContain('src/c.ts');
  // A start sweeps what no generation knows.
  openCodeIndex({ root, log: silentLog });
  expect(readFileSync(historyFile()).length).toBeGreaterThan(0);
  await index.remove(scope, id);
  expect(() => readFileSync(historyFile())).toThrow('ENOENT');
});

it('forgets what a push by force took away', async () => {
  const start = repository.git('rev-parse', 'HEAD');
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  repository.git('reset', '--quiet', '--hard', start);
  repository.commit({ 'src/a.ts': `${same}\n` }, 'Polish');
  await apply();
  expect(paths(await rank('wakes', 'webhooks')).toSorted()).toEqual(['src/a.ts', 'src/b.ts']);
});

it('is done without where it is damaged, until the next push writes it anew', async () => {
  repository.commit({ 'src/c.ts': 'export const x = 1;\n' }, 'Retry webhooks');
  await apply();
  const bytes = readFileSync(historyFile());
  bytes[bytes.length - 20]! ^= 1;
  writeFileSync(historyFile(), bytes);
  expect(paths(await rank('wakes', 'webhooks'))).toEqual(['src/a.ts', 'src/b.ts']);
  repository.commit({ 'README.md': 'x' }, 'Read me');
  await apply();
  expect(paths(await rank('wakes', 'webhooks'))).toContain('src/c.ts');
});

it('keeps no push from being searchable where it cannot be written', async () => {
  repository.commit({ 'src/d.ts': 'needles\n' }, 'Add needles');
  await apply();
  rmSync(historyFile());
  mkdirSync(join(historyFile(), 'in the way'), { recursive: true });
  repository.commit({ 'src/e.ts': 'needles\n' }, 'Add more needles');
  await apply();
  expect(paths(await rank('needles'))).toEqual(['src/d.ts', 'src/e.ts']);
  expect((await index.status(scope, id))?.untidy).toBe(true);
});
