import { type CodeSearch, type FileMatch, rankDeadlineMs, type SearchResult } from '../port.ts';
import type { Connection } from './connection.ts';
import { errorOf, unreachable } from './errors.ts';
import { rankResult, searchLine } from './protocol/search.ts';

/** Time for the network in addition to the deadline of the search, in milliseconds. */
const headroomMs = 1_500;
/**
 * Maximum sizes of a line and of the response, in bytes: `maxMatchText` per file and overall, with six bytes for
 * every character.
 */
const limits = { line: 8 * 1024 ** 2, whole: 64 * 1024 ** 2 };

/**
 * A `CodeSearch` at a code search service. Reads results as they arrive; a caller that stops waiting ends the search
 * there.
 */
export function remoteCodeSearch(connection: Connection): CodeSearch {
  return {
    capabilities: { rank: 'index' },
    search: async (scope, request, signal) => {
      const files: FileMatch[] = [];
      const totalMs = withHeadroom(request.deadlineMs);
      const lines = connection.lines({
        method: 'POST',
        path: '/search',
        body: { json: { scope, request } },
        line: searchLine,
        limits,
        stallMs: totalMs,
        totalMs,
        repeatable: true,
        signal,
      });
      for await (const line of lines) {
        if ('problem' in line) throw errorOf(line.problem, line.problem.retryAfter);
        if ('file' in line) files.push(line.file);
        else return { files, ...line.summary } satisfies SearchResult;
      }
      throw unreachable('the response ended early');
    },
    rank: (scope, request, signal) =>
      connection.fetchOne({
        method: 'POST',
        path: '/rank',
        body: { json: { scope, request } },
        line: rankResult,
        limits,
        stallMs: withHeadroom(rankDeadlineMs),
        totalMs: withHeadroom(rankDeadlineMs),
        repeatable: true,
        signal,
      }),
    close: async () => undefined,
  };
}

/** Returns the time-out for a deadline. The engine refuses invalid deadlines. */
function withHeadroom(deadlineMs: number): number {
  return Math.min(Math.max(deadlineMs || 0, 0), 60_000) + headroomMs;
}
