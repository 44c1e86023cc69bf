import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { spawnGit } from '../process/spawn-git.ts';
import { records } from './records.ts';

const repository = createRepository({ fields: `one\0${'x'.repeat(300_000)}\0two\0` });

async function lengths(
  ...options: Parameters<typeof records> extends [unknown, ...infer Rest] ? Rest : never
) {
  const { signal } = new AbortController();
  const running = spawnGit(join(repository.folder, '.git'), ['cat-file', 'blob', 'HEAD:fields'], signal);
  const found: number[] = [];
  for await (const record of records(running, ...options)) found.push(record.length);
  return found;
}

it('refuses a record that is too long, or cuts it and goes on', async () => {
  await expect(lengths(1000)).rejects.toThrow('more than 1000 bytes');
  expect(await lengths(1000, { cuts: true })).toEqual([3, 1000, 3]);
  expect(await lengths(400_000)).toEqual([3, 300_000, 3]);
});
