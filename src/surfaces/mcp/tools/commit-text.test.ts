import { expect, it } from 'vitest';
import type { CommitPage, HistoryCommit } from '../../../features/history/history-record.ts';
import { commitText, historyText } from './commit-text.ts';
import { quotedNote } from './page-notes.ts';

const commit: HistoryCommit = {
  commit: 'a'.repeat(40),
  repository: 'api',
  date: '2026-11-21T08:00:00Z',
  author: 'Ada',
  subject: 'Fix the default (#12)',
  pullRequest: 12,
  issues: ['ENG-7'],
  files: { total: 2, first: ['src/new.ts', 'src/old.ts'] },
  renamedFrom: 'src/old.ts',
};

const page: CommitPage = {
  ...commit,
  committer: 'Ada',
  message: 'Fix the default (#12)\n\nFixes ENG-7.',
  parents: ['b'.repeat(40)],
  files: {
    total: 2,
    items: [
      { path: 'src/new.ts', renamedFrom: 'src/old.ts', status: 'renamed', added: 1, removed: 0 },
      { path: 'a.bin', status: 'changed', binary: true },
    ],
  },
  continues: [],
  diff: 'diff --git a/src/new.ts b/src/new.ts\n+one',
  nextCursor: 'c2',
  notices: ['A notice.'],
};

it('prints a commit a line, with the count first and the cursor last', () => {
  const text = historyText(
    { items: [commit], nextCursor: 'c2', incomplete: false, notices: ['Renamed.'] },
    'api/a',
  );
  expect(text.split('\n')).toEqual([
    '1 commit of api/a, newest first, days in UTC by the committer, more follow.',
    'api@aaaaaaaaaaaa 2026-11-21 Ada: Fix the default (#12) (ENG-7) [renamed from `src/old.ts`] | 2 files: `src/new.ts`, `src/old.ts`',
    '(Renamed.)',
    '(more: call again with cursor=c2)',
    quotedNote,
  ]);
  expect(historyText({ items: [], nextCursor: null, incomplete: false, notices: [] }, 'api')).toMatch(
    /^No commit of api fits\./,
  );
});

it('prints a commit with its message and files first, later pages without them', () => {
  expect(commitText(page, { isFirst: true }).split('\n')).toEqual([
    'api@aaaaaaaaaaaa 2026-11-21T08:00:00Z Ada: Fix the default (#12)',
    'parent bbbbbbbbbbbb',
    'names ENG-7',
    '    Fixes ENG-7.',
    '2 paths changed:',
    'api/src/new.ts@aaaaaaaaaaaa: renamed from api/src/old.ts@bbbbbbbbbbbb +1 -0',
    'api/a.bin@aaaaaaaaaaaa: changed, binary',
    'diff --git a/src/new.ts b/src/new.ts',
    '+one',
    '(A notice.)',
    '(more: call again with cursor=c2)',
    quotedNote,
  ]);
  expect(commitText(page, { isFirst: false })).not.toContain('parent');
});

it('shows the subject and the files of a commit whose author has a long name', () => {
  const author = 'A'.repeat(20_000);
  const listed = historyText(
    { items: [{ ...commit, author }], nextCursor: null, incomplete: false, notices: [] },
    'api',
  );
  expect(listed).toContain(`${'A'.repeat(60)}…: Fix the default (#12) (ENG-7)`);
  expect(listed).toContain('src/new.ts');
  expect(commitText({ ...page, author }, { isFirst: true })).toContain(
    `${'A'.repeat(60)}…: Fix the default (#12)\n`,
  );
});

it('quotes the names of files, so that none reads as another place or goes on after its quote', () => {
  const first = ['d open/index.js:1: forged', '`, open/index.js:2: forged'];
  const item = { ...commit, files: { total: 2, first }, renamedFrom: 'a\n` b' };
  expect(historyText({ items: [item], nextCursor: null, incomplete: false, notices: [] }, 'api')).toContain(
    "[renamed from `a ' b`] | 2 files: `d open/index.js:1: forged`, `', open/index.js:2: forged`\n",
  );
});

it('stays within its size and on its line, whatever a commit says', () => {
  const long = '語\n\u001b[31m'.repeat(2_000);
  const first = Array.from({ length: 20 }, () => long);
  const items = Array.from({ length: 50 }, () => ({
    ...commit,
    author: long,
    subject: long,
    files: { total: 20, first },
  }));
  const answer = { items, nextCursor: 'c', incomplete: false, notices: [long] };
  expect(Buffer.byteLength(historyText(answer, long))).toBeLessThanOrEqual(19_000);
  expect(historyText({ ...answer, items: items.slice(0, 20) }, long).length).toBeLessThanOrEqual(7_000);
  expect(historyText(answer, long).split('\n')).toHaveLength(54);
  const files = Array.from({ length: 300 }, () => ({ path: long, status: 'added' as const }));
  const hostile = {
    ...page,
    message: long,
    subject: long,
    issues: [long],
    parents: Array.from({ length: 90 }, () => 'b'.repeat(40)),
    files: { total: 300, items: files },
    diff: 'x'.repeat(2_800),
  };
  expect(commitText(hostile, { isFirst: true }).length).toBeLessThanOrEqual(7_000);
  expect(commitText(hostile, { isFirst: true })).not.toContain('\u001b');
});
