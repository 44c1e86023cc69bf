import type { CodeSearch, NamedRepository, SourceReader } from '../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';

/*
 * The engines know organizations, not what a caller may read. Everything that a request reads from one passes here, so
 * that a caller that forgets the limit of its scope reads no other repository.
 */

/** Returns an engine that searches only what a scope may read. */
export function limitedSearch(engine: CodeSearch): CodeSearch {
  return {
    capabilities: engine.capabilities,
    search: async (scope, request, signal, onStart) =>
      engine.search(scope, limited(scope, request), signal, onStart),
    rank: async (scope, request, signal, onStart) =>
      engine.rank(scope, limited(scope, request), signal, onStart),
    close: () => engine.close(),
  };
}

/** Returns a reader for which a repository that a scope may not read does not exist. */
export function limitedSources(sources: SourceReader): SourceReader {
  return {
    readFile: async (scope, request, signal) =>
      mayRead(scope, request.repository) ? sources.readFile(scope, request, signal) : undefined,
    listTree: async (scope, request, signal) =>
      mayRead(scope, request.repository) ? sources.listTree(scope, request, signal) : undefined,
    findCommits: async (scope, request, signal) =>
      mayRead(scope, request.repository) ? sources.findCommits(scope, request, signal) : [],
    readHistory: async (scope, request, signal) =>
      mayRead(scope, request.repository) ? sources.readHistory(scope, request, signal) : undefined,
    readDiff: async (scope, request, signal) =>
      mayRead(scope, request.repository) ? sources.readDiff(scope, request, signal) : undefined,
    close: () => sources.close(),
  };
}

function mayRead({ repositories }: DataScope, id: RepositoryId): boolean {
  return repositories?.has(id) ?? true;
}

function limited<Request extends { readonly repositories?: readonly NamedRepository[] }>(
  scope: DataScope,
  request: Request,
): Request {
  if (scope.repositories === undefined) return request;
  if (request.repositories === undefined)
    throw new TypeError('A search of a limited scope names its repositories.');
  return { ...request, repositories: request.repositories.filter(({ id }) => mayRead(scope, id)) };
}
