import { describe, expect, it } from 'vitest';
import {
  type CodeSearch,
  noPassages,
  type SearchRequest,
  type SourceReader,
} from '../../backends/codesearch/port.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../foundation/kernel/ids.ts';
import { limitedSearch, limitedSources } from './limited-engine.ts';

const [own, other] = [newId<RepositoryId>(), newId<RepositoryId>()];
const whole = { organizationId: newId<OrganizationId>() };
const scope = { ...whole, repositories: new Set([own]) };
const { signal } = new AbortController();

describe('an engine for limited scopes', () => {
  const asked: unknown[] = [];
  const stats = { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 };
  const engine: CodeSearch = {
    capabilities: { rank: 'index' },
    search: async (_scope, { repositories }) => {
      asked.push(repositories?.map(({ id }) => id));
      return { files: [], stats };
    },
    rank: async (_scope, { repositories }) => {
      asked.push(repositories?.map(({ id }) => id));
      return { files: [], passages: noPassages, unmatched: [] };
    },
    close: async () => undefined,
  };
  const both = [own, other].map((id, number) => ({ id, number, name: id }));
  const request: SearchRequest = {
    query: { kind: 'literal', text: 'x', caseSensitive: true, field: 'any' },
    limit: 1,
    matchesPerFile: 1,
    contextLines: 0,
    deadlineMs: 1_000,
  };
  const ranking = { terms: ['x'], identifiers: [], paths: [], question: '', limit: 1, waitMs: 1 };

  it('searches only what the scope may read, and all for a whole organization', async () => {
    const search = limitedSearch(engine);
    for (const as of [scope, whole]) {
      await search.search(as, { ...request, repositories: both }, signal);
      await search.rank(as, { ...ranking, repositories: both }, signal);
    }
    expect(asked.splice(0)).toEqual([[own], [own], [own, other], [own, other]]);
    await search.search(whole, request, signal);
    await expect(search.search(scope, request, signal)).rejects.toThrow('names its repositories');
    await expect(search.rank(scope, ranking, signal)).rejects.toThrow('names its repositories');
    expect(asked).toEqual([undefined]);
  });

  it('reads no file, folder, history or commit of other repositories', async () => {
    const read: RepositoryId[] = [];
    const note = ({ repository }: { readonly repository: RepositoryId }) => read.push(repository);
    const reader: SourceReader = {
      readFile: async (_scope, file) => void note(file),
      listTree: async (_scope, tree) => void note(tree),
      readHistory: async (_scope, place) => void note(place),
      readDiff: async (_scope, place) => void note(place),
      findCommits: async (_scope, commit) => {
        note(commit);
        return [];
      },
      close: async () => undefined,
    };
    const sources = limitedSources(reader);
    for (const repository of [own, other]) {
      const place = { repository, path: 'a.ts' };
      expect(await sources.readFile(scope, place, signal)).toBeUndefined();
      expect(await sources.listTree(scope, place, signal)).toBeUndefined();
      expect(await sources.findCommits(scope, { repository, commit: 'abcdef0' }, signal)).toEqual([]);
      expect(
        await sources.readHistory(scope, { repository, skip: 0, max: 1, files: false }, signal),
      ).toBeUndefined();
      expect(
        await sources.readDiff(scope, { repository, commit: 'abcdef0', offset: 0, maxBytes: 1 }, signal),
      ).toBeUndefined();
    }
    expect(read).toEqual([own, own, own, own, own]);
  });
});
