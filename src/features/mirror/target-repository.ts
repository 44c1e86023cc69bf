import { realpath } from 'node:fs/promises';
import { checkFolder, type FolderRules } from '../../foundation/git/check-folder.ts';
import { gitDirsOf } from '../../foundation/git/git-dirs.ts';
import type { GitSource } from '../../foundation/git/git-source.ts';
import { parseSource, type SourceRules } from '../../foundation/git/parse-source.ts';
import { hostedKey, type RepositoryKey } from './repository-key.ts';

/** A repository that may be mirrored into. */
export interface TargetRepository {
  readonly source: GitSource;
  /** Equal for all addresses of one repository. */
  readonly key: RepositoryKey;
}

/**
 * Reads the address of a repository to mirror into, before the transaction that makes its target. A folder must be
 * allowed, be a repository and lie outside of DATA_DIR; it is known by where its branches really lie, so that links and
 * linked work trees of one repository are one.
 * @throws InvalidInput naming the fix
 * @internal Waits for the binding of a connection; until then its tests alone read such addresses.
 */
export async function readTargetRepository(
  text: string,
  rules: SourceRules & FolderRules,
): Promise<TargetRepository> {
  const source = parseSource(text, rules);
  if (source.remote !== undefined) return { source, key: hostedKey(source.url, source.remote) };
  const folder = await checkFolder(source.url, rules);
  const { common } = await gitDirsOf(folder);
  return { source: parseSource(folder, rules), key: (await realpath(common)) as RepositoryKey };
}
