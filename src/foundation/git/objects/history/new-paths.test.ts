import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { type NewPath, readNewPaths } from './new-paths.ts';

async function read(folder: string, range: Parameters<typeof readNewPaths>[1]): Promise<NewPath[]> {
  const made: NewPath[] = [];
  for await (const path of readNewPaths(`${folder}/.git`, range)) made.push(path);
  return made;
}

it('reads added and renamed paths, oldest first, with those of merges', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  const repository = createRepository({ 'a.txt': lines, 'kept.txt': 'kept' });
  const { git, folder } = repository;
  const first = git('rev-parse', 'HEAD');
  git('checkout', '--quiet', '-b', 'topic');
  repository.commit({ 'passing.txt': 'passing' }, 'Add for a while');
  git('rm', '--quiet', 'passing.txt');
  git('mv', 'a.txt', 'b\nb.txt');
  repository.commit({ 'b\nb.txt': `${lines}more\n`, 'kept.txt': 'changed' }, 'Move');
  git('checkout', '--quiet', 'main');
  git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
  const to = repository.commit({ R100: 'a name like a status' }, 'Add');
  expect(await read(folder, { to, after: first })).toEqual([
    { path: 'b\nb.txt', from: 'a.txt' },
    { path: 'R100', from: undefined },
  ]);
  expect(await read(folder, { to: first })).toEqual([
    { path: 'a.txt', from: undefined },
    { path: 'kept.txt', from: undefined },
  ]);
  await expect(read(folder, { to: 'main' })).rejects.toThrow('full id');
});
