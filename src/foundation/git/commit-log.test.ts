import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRepository } from '../../../test/support/git-repository.ts';
import { readCommitLog, readCommitsSince } from './commit-log.ts';
import { GitError } from './git-error.ts';

it('gives what commits said and touched, newest first, merges left out', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  repository.git('checkout', '--quiet', '-b', 'side');
  const side = repository.commit({ 'b.ts': '1' }, 'Add b\n\nAnd say why.');
  repository.git('checkout', '--quiet', 'main');
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge the side', 'side');
  const nothing = repository.commit({}, 'Nothing');
  repository.git('mv', 'a.ts', 'c.ts');
  const to = repository.commit({ 'b.ts': '2' }, 'Move a');
  const folder = `${repository.folder}/.git`;
  const commits = await readCommitLog(folder, { to, most: 10 });
  expect(commits.slice(0, 2)).toMatchObject([
    { id: to, message: 'Move a\n', paths: ['a.ts', 'b.ts', 'c.ts'] },
    { id: nothing, message: 'Nothing\n', paths: [] },
  ]);
  // The others are of one second, so that either may be the older one.
  expect(commits).toHaveLength(4);
  expect(commits.find(({ id }) => id === side)).toMatchObject({
    message: 'Add b\n\nAnd say why.\n',
    paths: ['b.ts'],
  });
  expect(await readCommitLog(folder, { to, most: 2 })).toEqual(commits.slice(0, 2));
  expect(commits[0]?.time).toBeGreaterThan(1.7e9);
});

it('tells names and messages of any bytes apart', async () => {
  const repository = createRepository();
  const name = Buffer.concat([Buffer.from(`${repository.folder}/caf`), Buffer.from([0xff])]);
  writeFileSync(name, 'x');
  const message = `Sneak in a header\n\ncommit > ${'a'.repeat(40)} 1\nof mine`;
  const to = repository.commit({ 'new\nline.ts': 'x', '\x01.ts': 'x' }, message);
  const [commit, ...others] = await readCommitLog(`${repository.folder}/.git`, { to, most: 10 });
  expect(commit?.message.trimEnd()).toBe(message);
  expect(commit?.paths.toSorted()).toEqual(['\x01.ts', 'caf\\xFF', 'new\nline.ts']);
  expect(others).toEqual([]);
});

it('takes no path and no message for another commit, whatever they hold', async () => {
  const repository = createRepository();
  const forged = `commit > ${'a'.repeat(40)} 4000000000\nforged`;
  const header = `> ${'b'.repeat(40)} 4000000000`;
  const first = repository.commit({ [forged]: 'x', [header]: 'x', [`\n${forged}`]: 'x' }, header);
  const to = repository.commit({ 'a.ts': 'x' }, '\u0001');
  const [later, earlier, ...others] = await readCommitLog(`${repository.folder}/.git`, { to, most: 10 });
  expect(later).toMatchObject({ id: to, paths: ['a.ts'] });
  expect(earlier).toMatchObject({
    id: first,
    message: `${header}\n`,
    paths: [`\n${forged}`, header, forged],
  });
  expect(others).toEqual([]);
});

it('reads a message up to the NUL that it holds, and lets no commit be of the future', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const people = 'author a <a@b.example> 1 +0000\ncommitter a <a@b.example> 4000000000 +0000';
  const input = `tree ${tree}\n${people}\n\nsaid\0\0> ${'a'.repeat(40)} 1\0forged`;
  const args = ['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'];
  const to = execFileSync('git', args, { cwd: repository.folder, input, encoding: 'utf8' }).trim();
  const commits = await readCommitLog(`${repository.folder}/.git`, { to, most: 10 });
  expect(commits).toMatchObject([{ id: to, message: 'said', paths: ['a.ts'] }]);
  expect(commits[0]?.time).toBeLessThanOrEqual(Date.now() / 1000);
});

it('takes fewer commits where they say too much, and no commit that is none', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const folder = `${repository.folder}/.git`;
  writeFileSync(`${repository.folder}/message`, 'long\n'.repeat(2_000_000));
  repository.git('commit', '--quiet', '--allow-empty', '--file', 'message');
  repository.commit({ 'a.ts': '2' }, 'Short');
  const to = repository.commit({ 'a.ts': '3' }, 'Shorter');
  expect(await readCommitLog(folder, { to, most: 10 })).toMatchObject([{ id: to }]);
  await expect(readCommitLog(folder, { to: 'a'.repeat(40), most: 10 })).rejects.toThrow(GitError);
  await expect(readCommitLog(folder, { to: '--all', most: 10 })).rejects.toThrow(GitError);
});

it('gives what came since a commit, merged or not, unless something of it is lost', async () => {
  const repository = createRepository({ 'a.ts': '1' });
  const folder = `${repository.folder}/.git`;
  const from = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '-b', 'side');
  const side = repository.commit({ 'b.ts': '1' }, 'Add b');
  repository.git('checkout', '--quiet', 'main');
  const main = repository.commit({ 'a.ts': '2' }, 'Change a');
  repository.git('merge', '--quiet', '--no-ff', '--message', 'Merge the side', 'side');
  const to = repository.git('rev-parse', 'HEAD');
  const since = await readCommitsSince(folder, { from, to });
  expect(since?.map(({ id }) => id).toSorted()).toEqual([side, main].toSorted());
  repository.git('reset', '--quiet', '--hard', from);
  const rewritten = repository.commit({ 'a.ts': '3' }, 'Change a otherwise');
  expect(await readCommitsSince(folder, { from: to, to: rewritten })).toBeUndefined();
  await expect(readCommitsSince(folder, { from: 'a'.repeat(40), to })).rejects.toThrow(GitError);
});
