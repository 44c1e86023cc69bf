import type { Visit } from '../app/app-page.ts';

export interface FileAddress {
  readonly repositoryId: string;
  readonly path: string;
  /** Lines to show: `10-20`. Default: from the first on. */
  readonly lines?: string | undefined;
  /** Default: the indexed commit. */
  readonly commit?: string | undefined;
}

/** Returns the address of the page of a file. It starts at the first of the lines. */
export function fileAddress(visit: Visit, { repositoryId, path, lines, commit }: FileAddress): string {
  const query = queryOf({ path, lines, commit });
  const first = lines === undefined ? '' : `#L${Number.parseInt(lines, 10)}`;
  return visit.path(`/repositories/${repositoryId}/file?${query}${first}`);
}

/** Returns the address of the page of a folder; the path of the root is empty. */
export function folderAddress(
  visit: Visit,
  { repositoryId, path, commit }: Omit<FileAddress, 'lines'>,
): string {
  const query = queryOf({ path: path === '' ? undefined : path, commit });
  return visit.path(`/repositories/${repositoryId}/tree${query === '' ? '' : `?${query}`}`);
}

/** Returns the address of the page of an entity of the knowledge graph. */
export function entityAddress(visit: Visit, key: string): string {
  return visit.path(`/entities/${encodeURIComponent(key.toWellFormed())}`);
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
  return query.toString();
}
