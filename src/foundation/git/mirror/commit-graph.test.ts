import { expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { writeCommit } from '../../../../test/support/git/written-commits.ts';
import { writeCommitGraph } from './commit-graph.ts';

it('keeps the order of commits whose dates do not fit into 34 bits', async () => {
  const source = createRepository({ a: '1' });
  const commit = (time: number, ...parents: readonly string[]): string =>
    writeCommit(source, { parents, message: String(time), time });
  const first = commit(1_600_000_100);
  const late = commit(2 ** 34 + 2, first);
  const merge = commit(2 ** 34 + 3, late, first);
  const side = commit(1_600_000_400, first);
  const head = commit(2 ** 34 + 6, commit(1_600_000_500, merge), side);
  source.git('update-ref', 'refs/orgctx/source', head);
  const order = (): string => source.git('rev-list', '--topo-order', head);
  const before = order();
  await writeCommitGraph(`${source.folder}/.git`, new AbortController().signal);
  expect(order()).toBe(before);
});
