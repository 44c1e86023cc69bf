import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git-repository.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { readHistory, writeHistory } from '../format/history-file.ts';
import { updateHistory } from './write-history.ts';

it('keeps of commits with many long paths the newest that four megabytes hold', async () => {
  const repository = createRepository({ 'a.ts': '' });
  const folder = temporaryFolder();
  const past = Array.from({ length: 40 }, (_, commit) => ({
    id: 'f'.repeat(40),
    time: 1,
    subject: `${commit}`,
    terms: Uint32Array.of(7),
    paths: Array.from({ length: 50 }, (_unused, path) => `${'long/'.repeat(700)}${commit}/${path}`),
  }));
  writeHistory(folder, { commit: repository.git('rev-parse', 'HEAD'), commits: past });
  const to = repository.commit({ 'b.ts': '' }, 'Newest');
  await updateHistory(folder, `${repository.folder}/.git`, to, new AbortController().signal);
  const { commit, commits } = readHistory(folder)!;
  expect(commit).toBe(to);
  // Each of the others takes 175 KB.
  expect(commits.map(({ subject }) => subject)).toEqual([
    'Newest',
    ...past.slice(0, 23).map((c) => c.subject),
  ]);
});
