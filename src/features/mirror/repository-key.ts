import type { RemoteHost } from '../../foundation/git/git-source.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** Tells repositories apart. The brand keeps an address that nobody compared out of its place. */
export type RepositoryKey = string & { readonly __noun: 'repository-key' };

/**
 * What the addresses of one repository on a Git host have in common, whatever the protocol: the host by its usual name,
 * the port where it is an unusual one, and the path as hosts read it, without case, `.` and a final `.git`.
 *
 * Text alone cannot know a repository's former name, or a port for http beside another one for ssh. Once a binding asks
 * the host, the repository's id there, behind the host's name, is to be the key.
 * @param url `GitSource.url`
 * @throws InvalidInput for a path that leads upwards
 */
export function hostedKey(url: string, remote: RemoteHost): RepositoryKey {
  const port = usualPorts.has(remote.port) ? '' : `:${remote.port}`;
  const host = usualNames.get(remote.host) ?? remote.host;
  return `${host}${port}/${keyOfPath(pathOf(url))}` as RepositoryKey;
}

/** Of https, http and ssh. */
const usualPorts: ReadonlySet<number> = new Set([443, 80, 22]);

/** Other names that public hosts answer to, those for ssh through firewalls among them. */
const usualNames: ReadonlyMap<string, string> = new Map([
  ['www.github.com', 'github.com'],
  ['ssh.github.com', 'github.com'],
  ['www.gitlab.com', 'gitlab.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['www.bitbucket.org', 'bitbucket.org'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
]);

function pathOf(url: string): string {
  if (url.includes('://')) return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return url.slice(url.indexOf(':', url.lastIndexOf(']') + 1) + 1);
}

function keyOfPath(path: string): string {
  const segments = decoded(path)
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw invalidField('source', 'must not lead upwards (`..`) in its path');
  // A server without a product on it serves `project` by `project/.git`, too.
  if (segments.length > 1 && segments.at(-1) === '.git') segments.pop();
  return segments.join('/').replace(/\.git$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
