import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { Inquiry } from '../inquiry.ts';

/** An indexed file. */
export interface FilePlace {
  readonly repositoryId: RepositoryId;
  readonly path: string;
}

/** Reads the lines of a file; none if it cannot be read. */
export async function linesOfFile(
  { deps, scope, signal }: Pick<Inquiry, 'deps' | 'scope' | 'signal'>,
  { repositoryId: repository, path }: FilePlace,
): Promise<readonly string[]> {
  const file = await deps.sources.readFile(scope, { repository, path }, signal);
  return file?.content?.split(/\r?\n/u) ?? [];
}
