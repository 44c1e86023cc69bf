import type { IndexRequest, IndexStatus, NamedRepository } from '../../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';

/** Returns a repository in the form of the code search ports, for tests that need only its id. */
export function namedRepository(id: string, name = id): NamedRepository {
  return { id: id as RepositoryId, number: numberOf(id), name };
}

/** Returns a request to index one branch, `main`, at `to`. */
export function indexRequest({
  repository,
  to,
  ...request
}: Pick<IndexRequest, 'scope' | 'gitDir'> & { repository: string; to: string }): IndexRequest {
  return { ...request, repository: namedRepository(repository), branches: [{ name: 'main', commit: to }] };
}

/** Returns the result of `CodeIndex.status` for an index of one branch, `main`. */
export function indexStatus(status: Partial<IndexStatus> & Pick<IndexStatus, 'commit'>): IndexStatus {
  return {
    generation: 1,
    branches: [{ name: 'main', commit: status.commit }],
    needsCompaction: false,
    files: 1,
    bytes: 1,
    skipped: {},
    ...status,
  };
}

/** Derives a stable number from the id; different ids get different numbers in tests. */
function numberOf(id: string): number {
  let number = 7;
  for (const letter of id) number = (number * 31 + letter.charCodeAt(0)) % 1_000_003;
  return number + 1;
}
