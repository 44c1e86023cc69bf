import { expect, it } from 'vitest';
import { packPaths, type Query } from '../../../src/backends/codesearch/port.ts';
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
    const { files, listed, incomplete } = await search.search(ours, request, patient);
    const everyOther = Array.from({ length: 10_000 }, (_, at) => 2 * at + 1);
    expect(listed).toEqual({
      repositories: [
        {
          repository: 'listed',
          commit: to,
          paths: packPaths(['a.ts', 'b/été.ts', 'long.ts']),
          ends: Uint32Array.of(2, 5, 10_005),
          lines: Uint32Array.from([1, 3, 1, 3, 7, ...everyOther]),
        },
      ],
      unlisted: 0,
    });
    expect([files, incomplete]).toEqual([[], undefined]);

    // The lines of the other files are counted.
    const { listed: one, incomplete: ofOne } = await search.search(ours, { ...request, limit: 1 }, patient);
    expect(one?.repositories.map(({ ends }) => ends.length)).toEqual([1]);
    expect([(one?.repositories[0]?.lines.length ?? 0) + (one?.unlisted ?? 0), ofOne]).toEqual([
      10_005,
      undefined,
    ]);
    const foreign = {
      ...request,
      repositories: [namedRepository('repo-foreign')],
      query: literal('acquire'),
    };
    const { listed: ofForeign } = await search.search(ours, foreign, patient);
    expect(ofForeign?.repositories ?? []).toEqual([]);
  });
}
