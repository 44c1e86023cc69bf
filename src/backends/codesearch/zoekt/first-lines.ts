import { printText } from './query/print-regex.ts';
import { and, printQuery, type ZoektQuery } from './query/zoekt-query.ts';
import type { ZoektClient, ZoektFile, ZoektLine, ZoektSearch } from './zoekt-client.ts';

/** The first lines of files that were found by their paths alone, of which Zoekt gives no line. */
export type FirstLines = ReadonlyMap<string, ZoektLine>;

/** Asks for them, all at once; nothing is asked where `files` holds none such. `within` is what narrows the search. */
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
    pattern('content', FIRST_LINE),
  );
  // The same path may stand in every repository; those not asked about are passed over.
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

const FIRST_LINE = String.raw`\A[^\n]+`;

export function isFoundByPath({ LineMatches }: ZoektFile): boolean {
  return LineMatches?.length !== 0 && LineMatches?.every((line) => line.FileName) === true;
}

export function keyOf({ Repository, FileName, Branches }: ZoektFile): string {
  return [Repository, Branches[0] ?? '', FileName].join('\0');
}
