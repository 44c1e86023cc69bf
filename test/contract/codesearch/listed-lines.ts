import { expect, it } from 'vitest';
import type { Query } from '../../../src/backends/codesearch/port.ts';
import { applyAndDefine, indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import type { CodeSearchWorld } from './codesearch.ts';
import { ask, literal, ours, patient } from './query.ts';

/** The part of the contract about searches for all lines (`everyLine`). */
export function linesAreListed(open: () => Promise<CodeSearchWorld>): void {
  it('lists the numbers of all matching lines of each file on request', async () => {
    const { index, search } = await open();
    const repository = createRepository({
      'a.ts': 'lease;\nleases;\nnew lease() // lease\n',
      'b/été.ts': 'élease lease²\nélease\n$lease\nlease_\nleaseé\n\nlease',
      'long.ts': 'lease;\nother;\n'.repeat(10_000),
    });
    const to = repository.git('rev-parse', 'HEAD');
    const gitDir = `${repository.folder}/.git`;
    await applyAndDefine(index, indexRequest({ scope: ours, repository: 'listed', gitDir, to }));
    const query: Query = { kind: 'word', text: 'lease' };
    const named = { repositories: [namedRepository('listed')], everyLine: true } as const;
    const request = ask(query, { ...named, limit: 1_000 });
    const { files, incomplete } = await search.search(ours, request, patient);
    const listed = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    expect(listed.map(({ path, matches }) => [path, matches])).toEqual([
      ['a.ts', []],
      ['b/été.ts', []],
      ['long.ts', []],
    ]);
    const everyOther = Array.from({ length: 10_000 }, (_, at) => 2 * at + 1);
    expect(listed.map(({ lines }) => lines)).toEqual([[1, 3], [1, 3, 7], everyOther]);
    expect(incomplete).toBeUndefined();

    const one = await search.search(ours, { ...request, limit: 1 }, patient);
    expect([one.files.length, one.incomplete]).toEqual([1, 'limit']);
    const foreign = {
      ...request,
      repositories: [namedRepository('repo-foreign')],
      query: literal('acquire'),
    };
    expect((await search.search(ours, foreign, patient)).files).toEqual([]);
  });
}
