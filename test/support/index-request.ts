import type { IndexRequest, IndexStatus, NamedRepository } from '../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';

/** A repository as the code search ports name it, where a test cares for its id alone. */
export function namedRepository(id: string, name = id): NamedRepository {
  return { id: id as RepositoryId, number: numberOf(id), name };
}

/** A request to index one branch, `main`, at `to`. */
export function indexRequest({
  repository,
  to,
  ...request
}: Pick<IndexRequest, 'scope' | 'gitDir'> & { repository: string; to: string }): IndexRequest {
  return { ...request, repository: namedRepository(repository), branches: [{ name: 'main', commit: to }] };
}

/** What `CodeIndex.status` says of an index of one branch, `main`. */
export function indexStatus(status: Partial<IndexStatus> & Pick<IndexStatus, 'commit'>): IndexStatus {
  return {
    generation: 1,
    branches: [{ name: 'main', commit: status.commit }],
    untidy: false,
    files: 1,
    bytes: 1,
    skipped: {},
    ...status,
  };
}

/** The same for the same id, as the database gives it; different ones as far as a test goes. */
function numberOf(id: string): number {
  let number = 7;
  for (const letter of id) number = (number * 31 + letter.charCodeAt(0)) % 1_000_003;
  return number + 1;
}
