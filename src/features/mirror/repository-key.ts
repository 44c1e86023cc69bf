import { canonicalHost } from '../../backends/git-providers/port.ts';
import type { GitSource, RemoteHost } from '../../foundation/git/source/git-source.ts';
import { parseSource, type SourceRules } from '../../foundation/git/source/parse-source.ts';
import { decoded } from '../../foundation/kernel/text/decoded.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** Identifies a repository. It is branded, so that an address that was not normalized cannot be used as a key. */
export type RepositoryKey = string & { readonly __noun: 'repository-key' };

/**
 * Returns a key that is equal for all addresses of one repository on a Git host, for any protocol: the canonical name
 * of the host, the port if it is not a default one, and the path as hosts read it, without case, `.` and a final
 * `.git`.
 *
 * The text of an address does not reveal a former name of a repository, or that a host has different ports for http
 * and ssh. Where the host can be asked, use `hostedIdKey`.
 * @param url `GitSource.url`
 * @throws InvalidInput for a path with `..` segments
 */
export function hostedKey(url: string, remote: RemoteHost): RepositoryKey {
  const port = defaultPorts.has(remote.port) ? '' : `:${remote.port}`;
  return `${canonicalHost(remote.host)}${port}/${keyOfPath(pathOf(url))}` as RepositoryKey;
}

/**
 * Returns the key of a repository by the host's own id of it; `apiUrl` is the address of the host's API. The key has
 * its path, because one host may have several servers, and anybody may serve an API below a path of a public one. All
 * spellings of an address give the same key. Each kind of host has its API at another path.
 */
export function hostedIdKey(apiUrl: string, id: string): RepositoryKey {
  const { hostname, port: given, pathname } = new URL(apiUrl);
  const port = given === '' || defaultPorts.has(Number(given)) ? '' : `:${given}`;
  const host = canonicalHost(hostname.replace(/\.$/, ''));
  return [`${host}${port}`, keyOfPath(pathname), id].filter((part) => part !== '').join('/') as RepositoryKey;
}

/** Default ports of https, http and ssh. */
const defaultPorts: ReadonlySet<number> = new Set([443, 80, 22]);

function pathOf(url: string): string {
  if (url.includes('://')) return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return url.slice(url.indexOf(':', url.lastIndexOf(']') + 1) + 1);
}

function keyOfPath(path: string): string {
  const segments = decoded(path)
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw invalidField('source', 'must not contain `..` segments in its path');
  // A plain Git server also serves `project` as `project/.git`.
  if (segments.length > 1 && segments.at(-1) === '.git') segments.pop();
  return segments.join('/').replace(/\.git$/, '');
}

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
