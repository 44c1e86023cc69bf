import { realpath } from 'node:fs/promises';
import { gitDirsOf } from '../../foundation/git/process/git-dirs.ts';
import { checkFolder, type FolderRules } from '../../foundation/git/source/check-folder.ts';
import type { GitSource } from '../../foundation/git/source/git-source.ts';
import { parseSource, type SourceRules } from '../../foundation/git/source/parse-source.ts';
import { hostedIdKey, hostedKey, type RepositoryKey } from './repository-key.ts';

/** A repository that is allowed as a mirror target. */
export interface TargetRepository {
  readonly source: GitSource;
  /** Equal for all addresses of one repository. */
  readonly key: RepositoryKey;
  /** The host's own id; `undefined` if the host was not asked. */
  readonly hostRepositoryId: string | undefined;
}

/**
 * Returns the target for a repository that its Git host knows by an id. Every name of it, former ones too, gives the
 * same key.
 * @throws InvalidInput for a clone URL that is not allowed
 */
export function hostedTarget(
  { cloneUrl, apiUrl, id }: { readonly cloneUrl: string; readonly apiUrl: string; readonly id: string },
  rules: Pick<SourceRules, 'allowHosts'>,
): TargetRepository {
  const source = parseSource(cloneUrl, { ...rules, allowLocal: false });
  return { source, key: hostedIdKey(apiUrl, id), hostRepositoryId: id };
}

/**
 * Reads the address of a repository to mirror into, before the transaction that creates its target. A folder must be
 * allowed, be a repository and be outside of DATA_DIR. Its key is the real path of its branches, so that links and
 * linked work trees of one repository have the same key.
 * @throws InvalidInput naming the fix
 * @internal Connections are bound to repositories of Git hosts; only tests mirror into other ones.
 */
export async function readTargetRepository(
  text: string,
  rules: SourceRules & FolderRules,
): Promise<TargetRepository> {
  const source = parseSource(text, rules);
  const hostRepositoryId = undefined;
  if (source.remote !== undefined) {
    return { source, key: hostedKey(source.url, source.remote), hostRepositoryId };
  }
  const folder = await checkFolder(source.url, rules);
  const { common } = await gitDirsOf(folder);
  const key = (await realpath(common)) as RepositoryKey;
  return { source: parseSource(folder, rules), key, hostRepositoryId };
}
