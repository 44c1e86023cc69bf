import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { GitError } from '../../process/git-error.ts';
import { readCommitLog, readCommitsSince } from './commit-log.ts';

it('returns messages and changed paths, newest first, with each merge as one change', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ 'b.ts': '1', 'd.ts': '1' }, 'Add b');
  repository.commit({ 'd.ts': '2' }, 'Change d');
  repository.git('checkout', '--quiet', 'main');
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge the side\n\nIt adds b.', 'side');
  const merge = repository.git('rev-parse', 'HEAD');
  const nothing = repository.commit({}, 'Nothing');
  repository.git('mv', 'a.ts', 'c.ts');
  const to = repository.commit({ 'b.ts': '2' }, 'Move a');
  const folder = `${repository.folder}/.git`;
  const commits = await readCommitLog(folder, { to, max: 10 });
  expect(commits.slice(0, 2)).toMatchObject([
    { id: to, message: 'Move a\n', paths: ['a.ts', 'b.ts', 'c.ts'] },
    { id: nothing, message: 'Nothing\n', paths: [] },
  ]);
  expect(commits).toHaveLength(4);
  expect(commits[2]).toMatchObject({
    id: merge,
    message: 'Merge the side\n\nIt adds b.\n',
    paths: ['b.ts', 'd.ts'],
  });
  expect(await readCommitLog(folder, { to, max: 2 })).toEqual(commits.slice(0, 2));
  expect(commits[0]?.time).toBeGreaterThan(1.7e9);
});

it('separates paths and messages of any bytes', async () => {
  const repository = createRepository();
  const name = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([0xff])]);
  writeFileSync(name, 'x');
  const message = `Sneak in a header\n\ncommit > ${'a'.repeat(40)} 1\nof mine`;
  const to = repository.commit({ 'new\nline.ts': 'x', '\x01.ts': 'x' }, message);
  const [commit, ...others] = await readCommitLog(`${repository.folder}/.git`, { to, max: 10 });
  expect(commit?.message.trimEnd()).toBe(message);
  expect(commit?.paths.toSorted()).toEqual(['\x01.ts', 'caf\\xFF', 'new\nline.ts']);
  expect(others).toEqual([]);
});

it('never mistakes a path or message for another commit', async () => {
  const repository = createRepository();
  const forged = `commit > ${'a'.repeat(40)} 4000000000\nforged`;
  const header = `> ${'b'.repeat(40)} 4000000000`;
  const first = repository.commit({ [forged]: 'x', [header]: 'x', [`\n${forged}`]: 'x' }, header);
  const to = repository.commit({ 'a.ts': 'x' }, '\u0001');
  const [later, earlier, ...others] = await readCommitLog(`${repository.folder}/.git`, { to, max: 10 });
  expect(later).toMatchObject({ id: to, paths: ['a.ts'] });
  expect(earlier).toMatchObject({
    id: first,
    message: `${header}\n`,
    paths: [`\n${forged}`, header, forged],
  });
  expect(others).toEqual([]);
});

it('reads a message up to a NUL, and limits times to now', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const people = 'author a <a@b.example> 1 +0000\ncommitter a <a@b.example> 4000000000 +0000';
  const input = `tree ${tree}\n${people}\n\nsaid\0\0> ${'a'.repeat(40)} 1\0forged`;
  const args = ['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'];
  const to = execFileSync('git', args, { cwd: repository.folder, input, encoding: 'utf8' }).trim();
  const commits = await readCommitLog(`${repository.folder}/.git`, { to, max: 10 });
  expect(commits).toMatchObject([{ id: to, message: 'said', paths: ['a.ts'] }]);
  expect(commits[0]?.time).toBeLessThanOrEqual(Date.now() / 1000);
});

it('returns fewer commits above the size limit, and refuses an invalid commit', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const folder = `${repository.folder}/.git`;
  writeFileSync(`${repository.folder}/message`, 'long\n'.repeat(2_000_000));
  repository.git('commit', '--quiet', '--allow-empty', '--file', 'message');
  repository.commit({ 'a.ts': '2' }, 'Short');
  const to = repository.commit({ 'a.ts': '3' }, 'Shorter');
  expect(await readCommitLog(folder, { to, max: 10 })).toMatchObject([{ id: to }]);
  await expect(readCommitLog(folder, { to: 'a'.repeat(40), max: 10 })).rejects.toThrow(GitError);
  await expect(readCommitLog(folder, { to: '--all', max: 10 })).rejects.toThrow(GitError);
});

it('returns the commits since another one, a merge as one, unless the history was rewritten', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const folder = `${repository.folder}/.git`;
  const from = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ 'b.ts': '1' }, 'Add b');
  repository.git('checkout', '--quiet', 'main');
  const main = repository.commit({ 'a.ts': '2' }, 'Change a');
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge the side', 'side');
  const to = repository.git('rev-parse', 'HEAD');
  const since = await readCommitsSince(folder, { from, to });
  expect(since?.map(({ id, paths }) => [id, paths])).toEqual([
    [to, ['b.ts']],
    [main, ['a.ts']],
  ]);
  repository.git('reset', '--quiet', '--hard', from);
  const rewritten = repository.commit({ 'a.ts': '3' }, 'Change a otherwise');
  expect(await readCommitsSince(folder, { from: to, to: rewritten })).toBeUndefined();
  await expect(readCommitsSince(folder, { from: 'a'.repeat(40), to })).rejects.toThrow(GitError);
});
