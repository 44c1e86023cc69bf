import { createHash } from 'node:crypto';
import type { Ecosystem } from '../../../backends/languages/port.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { packageId } from '../packages/ecosystems.ts';

/** The keys of nodes that several kinds of units name. None contains a line number. */
export const repoKey = (repositoryId: string): string => `repo:${repositoryId}`;

export const fileKey = (repositoryId: string, path: string): string => `file:${repositoryId}:${path}`;

export const commitKey = (repositoryId: string, id: string): string => `commit:${repositoryId}:${id}`;

export const pullKey = (repositoryId: string, number: number): string => `pr:${repositoryId}:${number}`;

export function symbolKey(
  repositoryId: string,
  path: string,
  { qualifiedName, kind }: { readonly qualifiedName: string; readonly kind: string },
): string {
  return `symbol:${repositoryId}:${path}#${qualifiedName}/${kind}`;
}

/** Returns the qualified name of the definition that a key is of. */
export function qualifiedNameOfKey(key: string): string | undefined {
  return key.startsWith('symbol:') ? key.slice(key.lastIndexOf('#') + 1, key.lastIndexOf('/')) : undefined;
}

/** Returns the repository and path that the key of a file or symbol contains. */
export function placeOfKey(
  key: string,
): { readonly repositoryId: RepositoryId; readonly path: string } | undefined {
  const kind = key.slice(0, key.indexOf(':'));
  const end = key.indexOf(':', kind.length + 1);
  const isPlace = (kind === 'file' || kind === 'symbol') && end > kind.length + 1 && end + 1 < key.length;
  if (!isPlace) return undefined;
  // A name has no slash before its kind, and a path may contain `#`.
  const hash = kind === 'symbol' ? key.lastIndexOf('#') : -1;
  return {
    repositoryId: key.slice(kind.length + 1, end) as RepositoryId,
    path: key.slice(end + 1, hash > end ? hash : undefined),
  };
}

/*
 * The names by which mentions find nodes. An identifier of an issue, such as `ENG-12`, stands for itself; all other
 * names begin with a word and a colon, so that no file of a repository can claim the name of an issue.
 */

export const pathName = (path: string): string => `path:${path}`;

export const symbolName = (name: string): string => `name:${name}`;

/** The name of a pull request at its host: `hosted` is host and path of the repository. */
export const pullName = (hosted: string, number: number | string): string =>
  `pull:${hosted.toLowerCase()}#${number}`;

/** The name of a package, which its manifest provides. */
export const packageName = (ecosystem: Ecosystem, name: string): string =>
  `package:${ecosystem}:${packageId(ecosystem, name)}`;

/** The name by which other repositories import a definition, such as `@acme/client.Client`. */
export const exportName = (ecosystem: Ecosystem, name: string): string => `export:${ecosystem}:${name}`;

export const serviceName = (id: string): string => `service:${id}`;

/** An address is a hash in the graph, so that reading the graph discloses none. */
export function emailHash(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('hex').slice(0, 32);
}
