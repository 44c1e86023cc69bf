import { expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { readHistory, writeHistory } from '../format/history-file.ts';
import { updateHistory } from './write-history.ts';

it('keeps the newest commits whose paths fit four megabytes', async () => {
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
  // Each of the other commits takes 175 KB.
  expect(commits.map(({ subject }) => subject)).toEqual([
    'Newest',
    ...past.slice(0, 23).map((c) => c.subject),
  ]);
});

it('describes a merge by the title of its pull request, and by its own line if it has none', async () => {
  const repository = createRepository({ 'a.ts': '' });
  const folder = temporaryFolder();
  const mergeOf = (name: string, message: string): string => {
    repository.git('checkout', '--quiet', '-b', name);
    repository.commit({ [`${name}.ts`]: '' }, 'On the side');
    repository.git('checkout', '--quiet', 'main');
    repository.git('merge', '--quiet', '--no-ff', '--message', message, name);
    return repository.git('rev-parse', 'HEAD');
  };
  mergeOf('one', 'Merge pull request #7 from acme/one\n\nRenew leases\n\nIn time.');
  const to = mergeOf('two', "Merge branch 'two'");
  await updateHistory(folder, `${repository.folder}/.git`, to, new AbortController().signal);
  const { commits } = readHistory(folder)!;
  expect(commits.slice(0, 2)).toMatchObject([
    { subject: "Merge branch 'two'", paths: ['two.ts'] },
    { subject: 'Renew leases', paths: ['one.ts'] },
  ]);
});
