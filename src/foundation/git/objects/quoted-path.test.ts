import { expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { readDiffPage } from './history/commit-diff.ts';
import { readCommitFiles } from './history/commit-files.ts';
import { pathInHeader } from './quoted-path.ts';

const names = [
  'plain.ts',
  'in a folder/größe.ts',
  'q"uoted"',
  'é "quoted"',
  'tab\tand space x',
  'line\nfeed\r',
  'back\\slash\\n',
  'escape\u001B\u007F\u0007',
  'caf\\xE9',
  'line\u2028separator',
];

it('reads the paths of a difference as the list of its files has them, added and removed', async () => {
  const repository = createRepository(Object.fromEntries(names.map((name) => [name, '1\n'])));
  const added = repository.git('rev-parse', 'HEAD').trim();
  repository.git('rm', '--quiet', '-r', '.');
  const removed = repository.commit({});
  const gitDir = `${repository.folder}/.git`;
  const { signal } = new AbortController();
  for (const [id, sign] of [
    [added, '+++'],
    [removed, '---'],
  ] as const) {
    const files = await readCommitFiles(gitDir, { id, max: 100 }, 20_000, signal);
    const page = await readDiffPage(gitDir, { id, paths: [], offset: 0, maxBytes: 60_000 }, 20_000, signal);
    const headers = page.text.split(/^(?=diff --git )/mu);
    expect(headers.map((header) => pathInHeader(header, sign))).toEqual(files.map(({ path }) => path));
  }
});
