import { printText } from './query/print-regex.ts';
import { and, printQuery, type ZoektQuery } from './query/zoekt-query.ts';
import type { ZoektClient, ZoektFile, ZoektLine, ZoektSearch } from './zoekt-client.ts';

/** First lines of files that matched by path only, for which Zoekt returns no line. */
export type FirstLines = ReadonlyMap<string, ZoektLine>;

/** Requests the first lines with one search; none if no file needs it. `within` narrows that search. */
export async function firstLines(
  client: ZoektClient,
  files: readonly ZoektFile[],
  within: { readonly query: ZoektQuery; readonly repositories?: readonly number[] },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<FirstLines> {
  const byPath = files.filter(isFoundByPath);
  if (byPath.length === 0) return new Map();
  const paths = [...new Set(byPath.map((file) => printText(file.FileName)))];
  const query = and(
    within.query,
    pattern('path', `\\A(?:${paths.join('|')})\\z`),
    pattern('content', firstLine),
  );
  // The same path may exist in every repository; files outside the results are ignored.
  const options = { MaxDocDisplayCount: 10 * byPath.length, MaxWallTime: Math.round(timeoutMs) * 1_000_000 };
  const request: ZoektSearch = {
    query: printQuery(query),
    options,
    ...(within.repositories === undefined ? {} : { repositories: within.repositories }),
  };
  const { Files } = await client.search(request, Math.round(timeoutMs) + 500, signal);
  return new Map(
    (Files ?? []).flatMap((file) => {
      const line = file.LineMatches?.find(({ LineNumber, FileName }) => LineNumber === 1 && !FileName);
      return line === undefined ? [] : [[keyOf(file), line] as const];
    }),
  );
}

function pattern(field: 'path' | 'content', text: string): ZoektQuery {
  return { kind: 'pattern', field, pattern: text, caseSensitive: true };
}

const firstLine = String.raw`\A[^\n]+`;

/** Returns whether a file matched by its path only. */
export function isFoundByPath({ LineMatches }: ZoektFile): boolean {
  return LineMatches?.length !== 0 && LineMatches?.every((line) => line.FileName) === true;
}

export function keyOf({ Repository, FileName, Branches }: ZoektFile): string {
  return [Repository, Branches[0] ?? '', FileName].join('\0');
}
