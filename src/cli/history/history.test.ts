import { afterEach, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';

const commit = {
  commit: 'a'.repeat(40),
  repository: 'api',
  date: '2026-11-21T08:00:00Z',
  author: 'Ada\u001b[31m',
  subject: 'Fix the default (#12)',
  pullRequest: 12,
  issues: ['ENG-7'],
  files: { total: 2, first: ['src/new.ts', 'src/old.ts'] },
  renamedFrom: 'src/old.ts',
};
const shown = {
  ...commit,
  committer: 'Ada',
  message: 'Fix the default (#12)\n\nFixes ENG-7.\u001b[31m',
  parents: ['b'.repeat(40)],
  files: {
    total: 2,
    items: [
      { path: 'src/new.ts', renamedFrom: 'src/old.ts', status: 'renamed', added: 1, removed: 0 },
      { path: 'a.bin', status: 'changed', binary: true },
    ],
  },
  continues: [],
  diff: 'diff --git a/src/new.ts b/src/new.ts\n+one\u001b[31m',
  nextCursor: 'c2',
  notices: ['A notice.'],
};
const repository = {
  id: '0190-1',
  name: 'api',
  source: 'https://git.example.com/api.git',
  branch: null,
  state: 'indexed',
  progress: null,
  indexedCommit: 'a'.repeat(40),
  indexedAt: '2026-11-21T08:00:00Z',
  error: null,
  checkedAt: null,
  nextCheckAt: null,
};

let service: StandInService;
afterEach(() => service.close());

async function run(bodyOf: (url: string) => unknown, ...words: readonly string[]) {
  service = await standInService(({ url }) => ({ body: bodyOf(url) }));
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(words, { env });
}

it('lists commits with their names, without control characters', async () => {
  const page = { items: [commit], nextCursor: 'c2', incomplete: false, notices: ['It was renamed.'] };
  const words = ['history', 'api/src/new.ts:1-2', '--author', 'ada', '--until', '2026-11-21', '--limit', '1'];
  const { stdout, stderr } = await run(() => page, ...words);
  expect(service.seen[0]?.url).toBe(
    '/acme/api/v1/history?address=api%2Fsrc%2Fnew.ts%3A1-2&author=ada&until=2026-11-21&limit=1',
  );
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toMatch(
    /^COMMIT +DATE +REPOSITORY +AUTHOR +SUBJECT +FILES\naaaaaaaaaaaa {2}2026-11-21 {2}api/,
  );
  expect(stdout).toContain('Fix the default (#12) (ENG-7) [renamed from src/old.ts]');
  expect(stderr).toBe('It was renamed.\nMore commits are available: --cursor c2\n');
});

it('turns a duration into a time', async () => {
  const page = { items: [], nextCursor: null, incomplete: false, notices: [] };
  const { stderr } = await run(() => page, 'history', '--query', 'retry wait', '--since', '2w');
  expect(service.seen[0]?.url).toMatch(/\/history\?query=retry\+wait&since=20\d\d-\d\d-\d\dT/);
  expect(stderr).toContain('No commit fits.');
});

it('shows a commit with its message, files and difference', async () => {
  const answer = (url: string) =>
    url.includes('/commits/') ? shown : { items: [repository], nextCursor: null };
  const { stdout, stderr } = await run(answer, 'show', 'api', 'aaaaaaa', '--path', 'src/new.ts');
  expect(service.seen.at(-1)?.url).toBe('/acme/api/v1/repositories/0190-1/commits/aaaaaaa?path=src%2Fnew.ts');
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('names: #12, ENG-7');
  expect(stdout).toContain('    Fixes ENG-7.');
  expect(stdout).toContain('  renamed src/new.ts from src/old.ts +1 -0\n  changed a.bin (binary)\n');
  expect(stderr).toBe('A notice.\nThe difference continues: --cursor c2 (or --all)\n');
});

it('takes the address of a commit, and refuses a commit that is missing or named twice', async () => {
  const answer = (url: string) =>
    url.includes('/commits/') ? shown : { items: [repository], nextCursor: null };
  await run(answer, 'show', 'api@aaaaaaa');
  expect(service.seen.at(-1)?.url).toBe('/acme/api/v1/repositories/0190-1/commits/aaaaaaa');
  await service.close();
  for (const words of [['api'], ['api@aaaaaaa', 'aaaaaaa']]) {
    const { code, stderr } = await run(answer, 'show', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain('repository@commit');
    expect(service.seen).toEqual([]);
    if (words.length === 1) await service.close();
  }
});

it('shows a later page below the file and hunk that it is a part of', async () => {
  const continues = ['diff --git a/src/new.ts b/src/new.ts', '@@ -1 +1,9 @@'];
  const answer = (url: string) =>
    url.includes('/commits/')
      ? { ...shown, continues, diff: '+one\r+forged', nextCursor: null }
      : { items: [repository], nextCursor: null };
  const { stdout } = await run(answer, 'show', 'api', 'aaaaaaa', '--cursor', 'c2');
  expect(stdout).toBe(`${continues.join('\n')}\n+one\\u000d+forged\n`);
});

it('joins all pages of a difference', async () => {
  const answer = (url: string) => {
    if (!url.includes('/commits/')) return { items: [repository], nextCursor: null };
    return url.includes('cursor=c2') ? { ...shown, diff: '+two', nextCursor: null } : shown;
  };
  const { stdout } = await run(answer, 'show', 'api', 'aaaaaaa', '--all', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    nextCursor: null,
    diff: expect.stringMatching(/\+one.*\n\+two$/),
  });
});
