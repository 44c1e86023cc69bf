import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { searchMessages } from './message-search.ts';

it('finds the commits with most and rarest words first, inside of names too, with their paths', async () => {
  const repository = createRepository();
  const commit = (message: string, path: string): string => repository.commit({ [path]: message }, message);
  commit('Add the pool of sockets', 'pool.ts');
  const name = commit('Call keepAlive again\n\nThe pool of sockets was idle.', 'src/agent.ts');
  const other = commit('Mention alive sockets', 'notes.md');
  for (let at = 0; at < 3; at++) commit(`Change of the pool ${at}`, 'pool.ts');
  const search = (words: readonly string[], max = 2) =>
    searchMessages(
      join(repository.folder, '.git'),
      { to: repository.git('rev-parse', 'HEAD'), words, max },
      5_000,
      new AbortController().signal,
    );
  const found = await search(['alive', 'pool', 'sock']);
  expect(found.commits.map(({ id, paths }) => ({ id, paths }))).toEqual([
    { id: name, paths: ['src/agent.ts'] },
    { id: other, paths: ['notes.md'] },
  ]);
  expect(found.whole).toBe(true);
  expect((await search(['live'], 5)).commits).toEqual([]);
  const typed = commit('Guess the content-type of v1.2 bodies', 'guess.ts');
  expect((await search(['content-type', 'v1.2'], 5)).commits.map(({ id }) => id)).toEqual([typed]);
  await expect(search(['.*'])).rejects.toThrow('Words must be given');
});
