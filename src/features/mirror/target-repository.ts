import type { GitSource } from '../../foundation/git/source/git-source.ts';
import { parseSource, type SourceRules } from '../../foundation/git/source/parse-source.ts';
import { hostedIdKey, type RepositoryKey } from './repository-key.ts';

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
