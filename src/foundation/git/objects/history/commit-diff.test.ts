import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { blockGit } from '../../../../../test/support/git/block-git.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { type DiffRequest, readDiffPage } from './commit-diff.ts';
import { readCommitFiles } from './commit-files.ts';

const { signal } = new AbortController();
const timeoutMs = 20_000;

function readPage({ folder }: TestRepository, request: Partial<DiffRequest> & { readonly id: string }) {
  const all = { paths: [], offset: 0, maxBytes: 100_000, ...request };
  return readDiffPage(`${folder}/.git`, all, timeoutMs, signal);
}

function readFiles({ folder }: TestRepository, id: string, max = 100) {
  return readCommitFiles(`${folder}/.git`, { id, max }, timeoutMs, signal);
}

it('names files with their counts, renames, removed and binary ones, and odd paths', async () => {
  const repository = createRepository({ 'old.ts': 'one\ntwo\nthree\n', 'gone.ts': 'x\n', 'b.bin': 'a\0' });
  repository.git('mv', 'old.ts', 'new\tname.ts');
  repository.git('rm', '--quiet', 'gone.ts');
  const name = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([0xff])]);
  writeFileSync(name, 'y\ny\n');
  const id = repository.commit({ 'new\tname.ts': 'one\ntwo\nfour\n', 'b.bin': 'b\0', 'größe.ts': '' });
  const files = await readFiles(repository, id);
  expect(files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'b.bin', status: 'changed', binary: true },
    { path: 'caf\\xFF', status: 'added', added: 2, removed: 0 },
    { path: 'gone.ts', status: 'removed', added: 0, removed: 1 },
    { path: 'größe.ts', status: 'added', added: 0, removed: 0 },
    { path: 'new\tname.ts', renamedFrom: 'old.ts', status: 'renamed', added: 1, removed: 1 },
  ]);
  expect(await readFiles(repository, id, 2)).toHaveLength(2);
  expect(await readFiles(repository, repository.commit({}))).toEqual([]);
  const { text } = await readPage(repository, { id });
  expect(text).toContain('Binary files a/b.bin and b/b.bin differ');
  expect(text).toContain('rename from old.ts');
  expect(text).toContain('+++ b/größe.ts'.slice(4));
  expect((await readPage(repository, { id, paths: ['caf\\xFF'] })).text).toMatch(/^diff --git [^]*\+y\n\+y$/);
});

it('shows what a merge changed in its first parent, and the first commit as added', async () => {
  const repository = createRepository({ 'a.ts': '1\n' });
  const root = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ 'b.ts': '2\n' });
  repository.git('checkout', '--quiet', 'main');
  repository.commit({ 'c.ts': '3\n' });
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'side');
  const merge = repository.git('rev-parse', 'HEAD');
  expect(await readFiles(repository, merge)).toEqual([
    { path: 'b.ts', status: 'added', added: 1, removed: 0 },
  ]);
  expect((await readPage(repository, { id: merge })).text).toMatch(
    /^diff --git a\/b\.ts b\/b\.ts\n[^]*\n\+2$/,
  );
  expect((await readPage(repository, { id: root })).text).toMatch(/^diff --git a\/a\.ts [^]*\n\+1$/);
});

it('pages at the ends of lines, without a gap or a repetition, and shortens long lines', async () => {
  const repository = createRepository({ 'a.ts': '' });
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index} é`);
  const id = repository.commit({ 'a.ts': `${lines.join('\n')}\n`, 'long.ts': `${'x'.repeat(5_000)}\nend\n` });
  const pages: string[] = [];
  const continued: (readonly string[])[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await readPage(repository, { id, offset, maxBytes: 4_000 });
    expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(4_000);
    continued.push(page.continues);
    pages.push(page.text);
    offset = page.next;
  }
  const whole = (await readPage(repository, { id })).text;
  expect(pages.join('\n')).toBe(whole);
  expect(continued[0]).toEqual([]);
  expect(continued[1]).toEqual(['diff --git a/a.ts b/a.ts', '@@ -0,0 +1,2000 @@']);
  expect(continued.at(-1)).toEqual(['diff --git a/long.ts b/long.ts', '@@ -0,0 +1,2 @@']);
  const inside = (text: string) =>
    readPage(repository, { id, offset: whole.indexOf(text) - 1, maxBytes: 500 });
  expect(await inside('index ')).toMatchObject({ continues: ['diff --git a/a.ts b/a.ts'] });
  expect(await inside('@@ ')).toMatchObject({ continues: ['diff --git a/a.ts b/a.ts'] });
  expect(whole).toContain(lines.map((line) => `+${line}`).join('\n'));
  expect(whole).toContain(`\n+${'x'.repeat(1_949)}… (3051 more bytes)\n+end`);
  expect(pages.length).toBeGreaterThan(5);
});

it('shows only the hunks of some lines', async () => {
  const numbers = (change: (line: number) => string) =>
    Array.from({ length: 60 }, (_, index) => `${change(index + 1)}\n`).join('');
  const repository = createRepository({ 'a.ts': numbers(String), 'gone.ts': 'x\n' });
  repository.git('rm', '--quiet', 'gone.ts');
  const id = repository.commit({ 'a.ts': numbers((line) => (line % 50 === 5 ? `${line}!` : `${line}`)) });
  const some = (start: number, end: number, path = 'a.ts') =>
    readPage(repository, { id, paths: [path], lines: { start, end } });
  const first = await some(1, 5);
  expect(first.text).toContain('+5!');
  expect(first.text).not.toContain('+55!');
  expect((await some(55, 55)).text).not.toContain('+5!');
  expect((await some(20, 30)).text).not.toContain('@@');
  expect((await some(1, 1, 'gone.ts')).text).toContain('-x');
});

it('starts quickly in a commit of 50,000 lines', async () => {
  const repository = createRepository({ 'a.ts': '' });
  const id = repository.commit({
    'a.ts': Array.from({ length: 50_000 }, (_, index) => `${index}\n`).join(''),
  });
  const page = await readPage(repository, { id, maxBytes: 16_000 });
  expect(page.next).toBeGreaterThan(15_000);
  const after = performance.now();
  expect(page.text.length).toBeLessThan(16_000);
  await readPage(repository, { id, maxBytes: 16_000 });
  expect(performance.now() - after).toBeLessThan(10_000);
});

it('ends with what it has when the time is up, is cancelled with the reason, and takes only ids', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const id = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  const request = { id, paths: [], offset: 0, maxBytes: 1_000 };
  const reason = new Error('gone');
  await expect(readDiffPage(gitDir, request, 9_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  await expect(readPage(repository, { id: '--all' })).rejects.toMatchObject({ code: 'git_failed' });
  await expect(readFiles(repository, 'HEAD')).rejects.toMatchObject({ code: 'git_failed' });
  await expect(readPage(repository, { id: '0'.repeat(40) })).rejects.toMatchObject({ code: 'git_damaged' });
  blockGit(gitDir);
  expect(await readDiffPage(gitDir, request, 50, signal)).toEqual({ continues: [], text: '', cut: true });
  expect(await readCommitFiles(gitDir, { id, max: 9 }, 50, signal)).toEqual([]);
});
