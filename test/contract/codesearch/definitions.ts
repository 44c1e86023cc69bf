import { expect, it } from 'vitest';
import type { CodeIndex, CodeSearch, Query } from '../../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { ask, literal, ours, patient } from './query.ts';

/** The contract of `CodeIndex.define`, for an engine that reads definitions after texts or together with them. */
export function definitionsFollow(
  ready: () => Promise<{ readonly index: CodeIndex; readonly search: CodeSearch }>,
): void {
  it('finds texts before definitions are read, and counts the files that wait for them', async () => {
    const { index, search } = await ready();
    const later = createRepository({ 'a.ts': 'export function waitsForIt() {}\n', 'b.md': 'text\n' });
    const id = 'repo-later' as RepositoryId;
    const request = indexRequest({
      scope: ours,
      repository: id,
      gitDir: `${later.folder}/.git`,
      to: later.git('rev-parse', 'HEAD'),
    });
    const repositories = [namedRepository(id)];
    const symbol: Query = { kind: 'symbol', form: 'literal', text: 'waitsForIt', caseSensitive: true };
    const found = async (query: Query) => {
      const { files, incomplete } = await search.search(ours, ask(query, { repositories }), patient);
      return { paths: files.map(({ path }) => path), incomplete };
    };
    const { filesWithoutDefinitions, generation } = await index.apply(request, patient);
    expect((await found(literal('waitsForIt'))).paths).toEqual(['a.ts']);
    if (filesWithoutDefinitions > 0) {
      expect(filesWithoutDefinitions).toBe(1);
      expect(await found(symbol)).toEqual({ paths: [], incomplete: 'definitions' });
      const defined = await index.define(request, patient);
      expect(defined).toMatchObject({ generation: generation + 1, filesWithoutDefinitions: 0 });
      expect(await found(symbol)).toEqual({ paths: ['a.ts'], incomplete: undefined });
    }
    expect(await index.define(request, patient)).toEqual(await index.status(ours, id));
    expect(await index.status(ours, id)).toMatchObject({ filesWithoutDefinitions: 0 });
  });
}
