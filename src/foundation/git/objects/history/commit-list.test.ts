import { rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { blockGit } from '../../../../../test/support/git/block-git.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { readDiffPage } from './commit-diff.ts';
import { readCommitFiles } from './commit-files.ts';
import { readCommit } from './commit-history.ts';
import { type CommitListRequest, listCommits, removalOf } from './commit-list.ts';

const { signal } = new AbortController();

function lister(folder: string) {
  return (request: Partial<CommitListRequest> & { readonly to: string }, timeoutMs = 20_000) =>
    listCommits(`${folder}/.git`, { skip: 0, max: 10, maxPaths: 3, ...request }, timeoutMs, signal);
}

it('lists commits of all lines, newest first, with what they changed, in pages', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ 'b.ts': '1', 'c.ts': '1', 'd.ts': '1', 'e.ts': '1' }, 'Add many\n\nFixes ENG-1');
  repository.git('checkout', '--quiet', 'main');
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge the side', 'side');
  repository.git('commit', '--quiet', '--allow-empty', '--allow-empty-message', '--message', '');
  const to = repository.git('rev-parse', 'HEAD');
  const list = lister(repository.folder);
  const all = await list({ to });
  expect(all).toMatchObject({ more: false, whole: true });
  const seen = all.commits.map(({ message, paths, changed }) => [message, paths, changed]);
  expect(seen.slice(0, 2)).toEqual([
    ['', [], 0],
    ['Merge the side', ['b.ts', 'c.ts', 'd.ts'], 4],
  ]);
  // They may have the same time.
  expect(seen.slice(2).toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
    ['Add many\n\nFixes ENG-1', ['b.ts', 'c.ts', 'd.ts'], 4],
    ['Start', ['a.ts'], 1],
  ]);
  const page = await list({ to, skip: 1, max: 1, maxPaths: 0 });
  expect(page.more).toBe(true);
  expect(page.commits.map(({ message, paths }) => [message, paths])).toEqual([['Merge the side', []]]);
});

it('follows a file through renames, and lists a folder and a path that is gone', async () => {
  const repository = createRepository({ 'old.ts': 'one\ntwo\nthree\n', 'src/x.ts': 'x' });
  repository.git('mv', 'old.ts', 'new\nname.ts');
  const renaming = repository.commit({}, 'Rename');
  const to = repository.commit({ 'new\nname.ts': 'one\ntwo\nfour\n' }, 'Change');
  const list = lister(repository.folder);
  const followed = await list({ to, path: 'new\nname.ts', follows: true });
  expect(followed.commits.map(({ message, renamedFrom }) => [message, renamedFrom])).toEqual([
    ['Change', undefined],
    ['Rename', 'old.ts'],
    ['Start', undefined],
  ]);
  expect((await list({ to, path: 'src' })).commits.map(({ message }) => message)).toEqual(['Start']);
  const gone = await list({ to, path: 'old.ts' });
  expect(gone.commits.map(({ message }) => message)).toEqual(['Rename', 'Start']);
  const gitDir = `${repository.folder}/.git`;
  const removed = (commit: string, path: string) => removalOf(gitDir, { commit, path }, signal);
  expect(await removed(renaming, 'old.ts')).toEqual({ renamedTo: 'new\nname.ts' });
  expect(await removed(to, 'old.ts')).toBeUndefined();
  repository.git('mv', 'src', 'lib');
  const moving = repository.commit({}, 'Move');
  expect(await removed(moving, 'src')).toEqual({ renamedTo: 'lib' });
  repository.git('rm', '-r', '--quiet', 'lib');
  const removing = repository.commit({}, 'Remove');
  for (const path of ['lib', 'lib/x.ts']) expect(await removed(removing, path)).toEqual({});
  expect(await removed(removing, 'li')).toBeUndefined();
  expect((await list({ to, path: 'never.ts', follows: true })).commits).toEqual([]);
  const copied = repository.commit({ 'copy.ts': 'one\ntwo\nfour\n' }, 'Copy');
  const copies = await list({ to: copied, path: 'copy.ts', follows: true });
  expect(copies.commits.map(({ message, renamedFrom }) => [message, renamedFrom])).toEqual([
    ['Copy', undefined],
  ]);
});

it('takes paths and filters literally', async () => {
  const repository = createRepository({ '--all': 'x', ':(glob)*': 'y', 'a.ts': 'z' });
  const name = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([0xff])]);
  writeFileSync(name, 'x');
  const to = repository.commit({}, 'Odd --name (.*)');
  const list = lister(repository.folder);
  const subjects = async (request: Partial<CommitListRequest>) =>
    (await list({ to, ...request })).commits.map(({ message }) => message);
  expect(await subjects({ path: 'caf\\xFF', follows: true })).toEqual(['Odd --name (.*)']);
  for (const path of ['--all', ':(glob)*']) expect(await subjects({ path })).toEqual(['Start']);
  expect(await subjects({ words: ['--NAME', '(.*)'] })).toEqual(['Odd --name (.*)']);
  expect(await subjects({ words: ['name', 'start'] })).toEqual([]);
  expect(await subjects({ words: ['^Odd'] })).toEqual([]);
  expect(await subjects({ author: 'TEST@example' })).toHaveLength(2);
  expect(await subjects({ author: 'T..t' })).toEqual([]);
  await expect(list({ to, author: 'a\nb' })).rejects.toMatchObject({ code: 'git_failed' });
  await expect(list({ to: 'HEAD' })).rejects.toMatchObject({ code: 'git_failed' });
});

it('lists the commits of a repository with SHA-256', async () => {
  const repository = createRepository();
  rmSync(`${repository.folder}/.git`, { recursive: true });
  repository.git('init', '--quiet', '--object-format=sha256');
  const to = repository.commit({ 'a.ts': 'x\n' }, 'Start');
  expect(to).toHaveLength(64);
  const { commits } = await lister(repository.folder)({ to, path: 'a.ts', follows: true });
  expect(commits).toMatchObject([{ id: to, message: 'Start', paths: ['a.ts'] }]);
  const gitDir = `${repository.folder}/.git`;
  const files = await readCommitFiles(gitDir, { id: to, max: 9 }, 20_000, signal);
  expect(files).toEqual([{ path: 'a.ts', status: 'added', added: 1, removed: 0 }]);
  const page = { id: to, paths: [], offset: 0, maxBytes: 9_000 };
  expect((await readDiffPage(gitDir, page, 20_000, signal)).text).toMatch(/\+x$/);
});

it('limits commits by time, both inclusive, and combines filters', async () => {
  const repository = createRepository({ 'a.ts': '1\n2\n3\n' });
  const { git, folder } = repository;
  const ids: string[] = [];
  for (const [day, author] of [
    ['10', 'Ada'],
    ['20', 'Grace'],
    ['30', 'Ada'],
  ]) {
    writeFileSync(`${folder}/a.ts`, `1\n2 of ${day}\n3\n`);
    git('add', '.');
    git('commit', '--quiet', '--message', `On ${day}`, '--author', `${author} <someone@example.com>`);
    ids.push(git('rev-parse', 'HEAD'));
  }
  const to = ids[2] ?? '';
  const list = lister(folder);
  const subjects = async (request: Partial<CommitListRequest>) =>
    (await list({ to, ...request })).commits.map(({ message }) => message);
  const now = Math.floor(Date.now() / 1000);
  expect(await subjects({ since: now - 86_400, until: now + 86_400 })).toHaveLength(4);
  expect(await subjects({ since: now + 86_400 })).toEqual([]);
  expect(await subjects({ until: now - 86_400 })).toEqual([]);
  expect(await subjects({ author: 'ada', path: 'a.ts', follows: true })).toEqual(['On 30', 'On 10']);
  const lines = { start: 2, end: 2 };
  expect(await subjects({ path: 'a.ts', lines })).toEqual(['On 30', 'On 20', 'On 10', 'Start']);
  expect(await subjects({ path: 'a.ts', lines, author: 'grace' })).toEqual(['On 20']);
  await expect(list({ to, path: 'a.ts', lines: { start: 90, end: 91 } })).rejects.toMatchObject({
    code: 'git_damaged',
  });
});

it('filters by time behind commits with wrong clocks, and tells future times as they are', async () => {
  const { git, folder } = createRepository({ 'a.ts': '1' });
  let to = git('rev-parse', 'HEAD');
  const commitAt = (time: number, subject: string): void => {
    const who = `a <a@example.com> ${time} +0000`;
    const head = `tree ${git('rev-parse', 'HEAD^{tree}')}\nparent ${to}\nauthor ${who}\ncommitter ${who}`;
    writeFileSync(`${folder}/commit`, `${head}\n\n${subject}\n`);
    to = git('hash-object', '-t', 'commit', '-w', 'commit');
  };
  commitAt(1_600_000_000, 'Second');
  commitAt(1_000_000, 'Old clock');
  commitAt(1_600_000_100, 'Fourth');
  commitAt(4_000_000_000, 'Future clock');
  commitAt(99_999_999_999_999, 'No date');
  const list = lister(folder);
  const found = async (request: Partial<CommitListRequest>) =>
    (await list({ to, ...request })).commits.map(({ message, time }) => [message, time]);
  const noon = 1_600_000_050;
  expect(await found({ since: 1_600_000_000, until: noon })).toEqual([['Second', 1_600_000_000]]);
  expect(await found({ since: 0, until: 1_000_000 })).toEqual([['Old clock', 1_000_000]]);
  expect(await found({ since: 3_000_000_000 })).toEqual([
    ['No date', 253_402_300_799],
    ['Future clock', 4_000_000_000],
  ]);
  const shown = await readCommit(`${folder}/.git`, to, signal);
  expect(new Date(shown.time * 1000).toISOString()).toBe('9999-12-31T23:59:59.000Z');
});

it('ends with what it has when the time is up, and when it is cancelled with the reason', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const to = repository.git('rev-parse', 'HEAD');
  const request = { to, skip: 0, max: 10, maxPaths: 3 };
  const gitDir = `${repository.folder}/.git`;
  const reason = new Error('gone');
  await expect(listCommits(gitDir, request, 9_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  blockGit(gitDir);
  expect(await listCommits(gitDir, request, 50, signal)).toEqual({ commits: [], more: false, whole: false });
});

it('looks for a text as it is written, whatever other filters there are', async () => {
  const repository = createRepository({ 'a.ts': 'Berth' });
  const to = repository.commit({ 'a.ts': 'berth [x] a.b* $c \\d' }, 'Write [x] a.b* $c \\d');
  const list = lister(repository.folder);
  const subjects = async (request: Partial<CommitListRequest>) =>
    (await list({ to, ...request })).commits.map(({ message }) => message.slice(0, 5));
  const all = ['Write', 'Start'];
  expect(await subjects({ text: 'Berth' })).toEqual(all);
  expect(await subjects({ text: 'Berth', author: 'TEST' })).toEqual(all);
  expect(await subjects({ text: 'Berth', words: ['WRITE', '[X]', 'a.b*', '$c', '\\d'] })).toEqual(['Write']);
  expect(await subjects({ words: ['a.b.'] })).toEqual([]);
});
