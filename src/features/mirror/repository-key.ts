import type { GitSource } from '../../foundation/git/git-source.ts';

/**
 * What two addresses of one repository have in common, whatever the protocol: host, port where it is an unusual one,
 * and path, without regard to case or a final `.git`, as Git hosts read it. A folder is its path alone.
 */
export function repositoryKey({ kind, url, remote }: GitSource): string {
  if (kind === 'folder' || remote === undefined) return url;
  const port = usualPorts.has(remote.port) ? '' : `:${remote.port}`;
  return `${remote.host}${port}/${keyOfPath(pathOf(url))}`;
}

/** Of https, http and ssh. */
const usualPorts: ReadonlySet<number> = new Set([443, 80, 22]);

function pathOf(url: string): string {
  if (url.includes('://')) return url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return url.slice(url.indexOf(':', url.lastIndexOf(']') + 1) + 1);
}

function keyOfPath(path: string): string {
  const segments = decoded(path)
    .split('/')
    .filter((segment) => segment !== '');
  return segments
    .join('/')
    .toLowerCase()
    .replace(/\.git$/, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
