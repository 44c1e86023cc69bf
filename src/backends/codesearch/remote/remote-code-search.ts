import { type CodeSearch, type FileMatch, rankDeadlineMs, type SearchResult } from '../port.ts';
import type { Connection } from './connection.ts';
import { errorOf, unreachable } from './faults.ts';
import { rankResult, searchLine } from './protocol/search.ts';

/** Milliseconds beyond the search's own deadline, for the way there and back. */
const headroomMs = 1_500;
/** Bytes: what `mostShown` lets through, of a file and in all, when every character of it takes six. */
const limits = { line: 8 * 1024 ** 2, whole: 64 * 1024 ** 2 };

/** `CodeSearch` at a code search service. Its answers are read as they come; who stops waiting ends the search there. */
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
      throw unreachable('the answer broke off');
    },
    rank: (scope, request, signal) =>
      connection.ask({
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

/** A deadline that cannot be one is the engine's to refuse. */
function withHeadroom(deadlineMs: number): number {
  return Math.min(Math.max(deadlineMs || 0, 0), 60_000) + headroomMs;
}
