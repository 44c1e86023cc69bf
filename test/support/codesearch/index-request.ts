import type {
  CodeIndex,
  IndexRequest,
  IndexStatus,
  NamedRepository,
} from '../../../src/backends/codesearch/port.ts';
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
    filesWithoutDefinitions: 0,
    files: 1,
    bytes: 1,
    skipped: {},
    ...status,
  };
}

/** Updates an index, and reads the definitions of all files. */
export async function applyAndDefine(
  index: Pick<CodeIndex, 'apply' | 'define'>,
  request: IndexRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<IndexStatus> {
  let status = await index.apply(request, signal);
  while (status.filesWithoutDefinitions > 0) status = await index.define(request, signal);
  return status;
}

/** Derives a stable number from the id; different ids get different numbers in tests. */
function numberOf(id: string): number {
  let number = 7;
  for (const letter of id) number = (number * 31 + letter.charCodeAt(0)) % 1_000_003;
  return number + 1;
}
