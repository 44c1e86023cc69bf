import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import type { PastCommit } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';
import { textArena } from '../query/scan/text-arena.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { prepareHistory } from '../read/prepared-history.ts';
import { rankSegments } from './rank-segments.ts';

const request = {
  terms: ['sleeps', 'webhooks'],
  identifiers: [],
  paths: [],
  question: 'webhooks',
  limit: 10,
  waitMs: 30_000,
};
let indexes: OpenIndexes;
let live: LiveSegment;

beforeEach(async () => {
  const { root, index, repository } = openIndexedRepository({ 'src/a.ts': 'sleeps\n', 'src/b.ts': 'two\n' });
  await index.apply(requestOf(repository, repository.git('rev-parse', 'HEAD')), new AbortController().signal);
  indexes = new OpenIndexes(root);
  live = indexes.inRange({ organizationId: scope.organizationId }).segments[0]!;
});
afterEach(() => {
  indexes.close();
});

const change = (...paths: string[]): PastCommit => ({
  id: 'f'.repeat(40),
  time: 0,
  subject: 'Retry webhooks',
  terms: Uint32Array.from(wordsOf('webhooks').keys()),
  paths,
});

it('finds a renamed file by what past commits say of its path now', async () => {
  const { repository, index, root } = openIndexedRepository({
    'src/a.ts': 'sleeps\nwebhooks\n',
    'src/b.ts': 'waits\n',
  });
  const { signal } = new AbortController();
  await index.apply(requestOf(repository, repository.git('rev-parse', 'HEAD')), signal);
  repository.git('mv', 'src/b.ts', 'src/now.ts');
  repository.git('commit', '--quiet', '--message', 'Move b');
  const to = repository.git('rev-parse', 'HEAD');
  await index.apply(requestOf(repository, to), signal);
  const opened = new OpenIndexes(root);
  const [moved] = opened.inRange({ organizationId: scope.organizationId }).segments;
  expect([...moved!.renamed.values()]).toEqual(['src/now.ts']);
  expect(['src/now.ts', 'src/b.ts', 'gone.ts'].map((path) => moved!.documentsAt(path).length)).toEqual([
    1, 0, 0,
  ]);
  const touched = ['src/now.ts', ...Array.from({ length: 40 }, (_, file) => `src/gone${file}.ts`)];
  const now: LiveSegment = {
    ...moved!,
    history: () => prepareHistory({ commit: to, commits: [change(...touched)] }),
  };
  const { files } = rankSegments(request, [now], { shouldStop: () => false, arena: textArena() });
  expect(files.map(({ path }) => path)).toContain('src/now.ts');
  opened.close();
});

async function fourteenFiles(): Promise<{ opened: OpenIndexes; segment: LiveSegment }> {
  const names = Array.from({ length: 14 }, (_, n) => `src/${String.fromCodePoint(97 + n)}.ts`);
  const files = names.map((name, n) => [name, `sleeps\n${'webhooks\n'.repeat(20 - n)}`]);
  const many = openIndexedRepository(Object.fromEntries(files));
  const to = many.repository.git('rev-parse', 'HEAD');
  await many.index.apply(requestOf(many.repository, to), new AbortController().signal);
  const opened = new OpenIndexes(many.root);
  const [segment] = opened.inRange({ organizationId: scope.organizationId }).segments;
  return { opened, segment: segment! };
}

it('reads the first files when its time is used up, and adds the others in the order of the tables', async () => {
  const { opened, segment } = await fourteenFiles();
  let isUsedUp = false;
  const last: LiveSegment = {
    ...segment,
    history: () => {
      isUsedUp = true;
      return undefined;
    },
  };
  const run = { shouldStop: () => isUsedUp, arena: textArena() };
  const result = rankSegments({ ...request, identifiers: ['absentName'], limit: 13 }, [last], run);
  opened.close();
  expect(result).toMatchObject({ partial: true, unmatched: [] });
  expect(result.files).toHaveLength(13);
  expect(result.passages.best).toHaveLength(10);
  expect(result.files.at(-1)).toMatchObject({ reasons: ['content: sleeps, webhooks'] });
  const scores = result.files.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

it('ranks the passages of the first files only when its time is used up', async () => {
  const { opened, segment } = await fourteenFiles();
  const question = 'When are webhooks sent?';
  const rank = (shouldStop: (share?: number) => boolean) =>
    rankSegments({ ...request, limit: 14, question }, [segment], { shouldStop, arena: textArena() });
  const whole = rank(() => false);
  const cut = rank((share) => share === undefined);
  opened.close();
  expect(whole.passages.best).toHaveLength(14);
  expect(cut).toMatchObject({ partial: true });
  expect(cut.passages.best).toHaveLength(10);
});

it('leaves time for the texts when the names of a question take all they may', () => {
  // Every step that asks for a share of the time finds it used up; only the whole is not.
  const run = { shouldStop: (share = 1) => share < 0.5, arena: textArena() };
  const names = { ...request, identifiers: ['sleeps', 'two'], question: 'sleeps' };
  const { files, passages, partial } = rankSegments(names, [live], run);
  expect(partial).toBe(true);
  expect(files[0]).toMatchObject({ path: 'src/a.ts' });
  expect(passages.best[0]).toMatchObject({ path: 'src/a.ts' });
});

it('finds files by name in any case, also beside paths that are not ASCII and after a rename', async () => {
  const paths = ['src/RetryPolicy.ts', 'src/größe/back_off.ts', 'zoo/BackOff.md'];
  const { root, index, repository } = openIndexedRepository(
    Object.fromEntries(paths.map((path) => [path, 'text\n'])),
  );
  const { signal } = new AbortController();
  await index.apply(requestOf(repository, repository.git('rev-parse', 'HEAD')), signal);
  const opened = new OpenIndexes(root);
  const [segment] = opened.inRange({ organizationId: scope.organizationId }).segments;
  const find = (names: object, from = segment!): readonly string[] =>
    rankSegments({ ...request, terms: [], ...names }, [from], {
      shouldStop: () => false,
      arena: textArena(),
    }).files.map(({ path }) => path);
  expect(find({ identifiers: ['retry_policy'] })).toEqual(['src/RetryPolicy.ts']);
  expect(find({ identifiers: ['BackOff'] }).toSorted()).toEqual(['src/größe/back_off.ts', 'zoo/BackOff.md']);
  expect(find({ paths: ['Größe/Back_off.ts'] })[0]).toBe('src/größe/back_off.ts');
  const renamed = new Map([[segment!.segment.documents.find('src/RetryPolicy.ts')[0]!, 'src/Größer.ts']]);
  const path = (document: number): string =>
    renamed.get(document) ?? segment!.segment.documents.path(document);
  expect(find({ identifiers: ['größer', 'retryPolicy'] }, { ...segment!, renamed, path })).toEqual([
    'src/Größer.ts',
  ]);
  opened.close();
});
