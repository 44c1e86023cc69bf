import type { RepositoryId } from '../../../foundation/kernel/ids.ts';

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
  const [, kind, repositoryId = '', rest = ''] = /^(file|symbol):([^:]+):(.+)$/s.exec(key) ?? [];
  if (kind === undefined) return undefined;
  // A name has no slash before its kind, and a path may contain `#`.
  return {
    repositoryId: repositoryId as RepositoryId,
    path: kind === 'file' ? rest : rest.replace(/#[^#]*$/s, ''),
  };
}
