import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { printText } from './query/print-regex.ts';
import { and, printQuery, type ZoektQuery } from './query/zoekt-query.ts';
import type { ZoektClient, ZoektFile } from './zoekt-client.ts';

/** The text of files, by `contentKey`. */
export type Contents = ReadonlyMap<string, string>;

/**
 * Reads whole files with one search. Files are left out if Zoekt does not return them in time, because a ranking
 * without their text is still of use.
 */
export async function readContents(
  client: ZoektClient,
  files: readonly ZoektFile[],
  within: { readonly query: ZoektQuery; readonly repositories?: readonly number[] },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Contents> {
  if (files.length === 0 || timeoutMs <= 0) return new Map();
  const paths = [...new Set(files.map(({ FileName }) => printText(FileName)))];
  const pattern = `\\A(?:${paths.join('|')})\\z`;
  const query = and(within.query, { kind: 'pattern', field: 'path', pattern, caseSensitive: true });
  try {
    const { Files } = await client.search(
      {
        query: printQuery(query),
        // The same path may exist in every repository; files outside the ranking are ignored.
        options: {
          MaxDocDisplayCount: 10 * files.length,
          MaxWallTime: Math.round(timeoutMs) * 1_000_000,
          Whole: true,
        },
        ...(within.repositories === undefined ? {} : { repositories: within.repositories }),
      },
      Math.round(timeoutMs),
      signal,
    );
    return new Map((Files ?? []).map((file) => [contentKey(file), file.Content.toString('utf8')]));
  } catch (error) {
    if (signal.aborted || !(error instanceof Unavailable)) throw error;
    return new Map();
  }
}

export function contentKey({ Repository, FileName }: ZoektFile): string {
  return `${Repository}\0${FileName}`;
}
