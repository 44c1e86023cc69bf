import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { extendsMainLine, type HistoryCommit, readCommit, readHistory } from './commit-history.ts';

async function read(folder: string, options: Parameters<typeof readHistory>[1]): Promise<HistoryCommit[]> {
  const commits: HistoryCommit[] = [];
  for await (const commit of readHistory(`${folder}/.git`, options)) commits.push(commit);
  return commits;
}

it('reads the main line with authors, messages and what merges changed', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const { git, folder } = repository;
  git('checkout', '--quiet', '-b', 'topic');
  repository.commit({ 'b\nb.txt': 'b', 'c.txt': 'c' }, 'On a branch');
  git('checkout', '--quiet', 'main');
  git('-c', 'user.name=', 'merge', '--quiet', '--no-ff', '-m', 'Merge pull request #7', 'topic');
  git('commit', '--quiet', '--allow-empty', '--allow-empty-message', '-m', '', '--author', 'Ada <ada@x.org>');
  const commits = await read(folder, { to: git('rev-parse', 'HEAD'), max: 10 });
  expect(commits.map(({ message, paths }) => [message.trim(), paths])).toEqual([
    ['', []],
    ['Merge pull request #7', ['b\nb.txt', 'c.txt']],
    ['Start', ['a.txt']],
  ]);
  expect(commits[0]).toMatchObject({
    author: { name: 'Ada', email: 'ada@x.org' },
    committer: { email: 'test@example.com' },
    parent: commits[1]?.id,
  });
  expect(commits[2]?.parent).toBeUndefined();
});

it('continues after a commit, and stops at another one', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const ids = ['1', '2', '3'].map((text) => repository.commit({ 'a.txt': text }));
  const [first, second, third] = ids as [string, string, string];
  const since = await read(repository.folder, { to: third, after: first, max: 10 });
  expect(since.map(({ id }) => id)).toEqual([third, second]);
  expect((await read(repository.folder, { to: second, max: 1 })).map(({ id }) => id)).toEqual([second]);
});

it('limits the time of a commit to now, because Git accepts times that no date can express', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const who = 'a <a@example.com> 99999999999999 +0000';
  writeFileSync(`${repository.folder}/commit`, `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nLater\n`);
  const to = repository.git('hash-object', '-t', 'commit', '-w', 'commit');
  const [commit] = await read(repository.folder, { to, max: 1 });
  expect(commit?.time).toBeLessThanOrEqual(Date.now() / 1000);
  expect(commit?.time).toBeGreaterThan(1_700_000_000);
});

it('keeps no more than 1,000 paths of a commit', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const blob = repository.git('rev-parse', 'HEAD:a.txt');
  const entries = Array.from({ length: 1_010 }, (_, index) => `100644 ${blob}\tf${index}\n`).join('');
  execFileSync('git', ['update-index', '--index-info'], { cwd: repository.folder, input: entries });
  repository.git('commit', '--quiet', '--message', 'Many');
  const [commit] = await read(repository.folder, { to: repository.git('rev-parse', 'HEAD'), max: 1 });
  expect(commit).toMatchObject({ changed: 1_010 });
  expect(commit?.paths).toHaveLength(1_000);
});

it('reads one commit, and cuts a message that a history refuses', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const { folder } = repository;
  writeFileSync(`${folder}/message`, `Long\n\n${'word '.repeat(1_700_000)}`);
  repository.git('commit', '--quiet', '--allow-empty', '--file', 'message');
  const to = repository.git('rev-parse', 'HEAD');
  await expect(read(folder, { to, max: 1 })).rejects.toMatchObject({ reason: 'too_large' });
  const { signal } = new AbortController();
  const commit = await readCommit(`${folder}/.git`, to, signal);
  expect(commit).toMatchObject({ id: to, author: { name: 'Test' }, paths: [], changed: 0 });
  expect(commit.message).toMatch(/^Long\n\nword /);
  expect(commit.message).toHaveLength(256 * 1024);
  await expect(readCommit(`${folder}/.git`, '0'.repeat(40), signal)).rejects.toMatchObject({
    code: 'git_damaged',
  });
  await expect(readCommit(`${folder}/.git`, 'HEAD', signal)).rejects.toMatchObject({ code: 'git_failed' });
});

it('tells a main line that grew from one that was rewritten', async () => {
  const repository = createRepository({ 'a.txt': 'a' });
  const { git } = repository;
  const gitDir = `${repository.folder}/.git`;
  const [first, second] = [git('rev-parse', 'HEAD'), repository.commit({ 'a.txt': 'b' })];
  expect(await extendsMainLine(gitDir, first, second)).toBe(true);
  expect(await extendsMainLine(gitDir, second, second)).toBe(true);
  git('commit', '--quiet', '--amend', '--message', 'Other');
  expect(await extendsMainLine(gitDir, second, git('rev-parse', 'HEAD'))).toBe(false);
  expect(await extendsMainLine(gitDir, '1'.repeat(40), second)).toBe(false);
});
