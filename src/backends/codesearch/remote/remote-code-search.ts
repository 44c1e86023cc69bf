import { searchLimits } from '../check-request.ts';
import { type CodeSearch, type FileMatch, LineCollector, rankLimits, type SearchResult } from '../port.ts';
import type { Connection } from './connection.ts';
import { errorOf, unreachable } from './errors.ts';
import { rankLine, searchLine } from './protocol/search.ts';

/** Time for the network, and for a busy service, in addition to the limits of a task, in milliseconds. */
const headroomMs = 6_500;
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
    search: async (scope, request, signal, onStart) => {
      const files: FileMatch[] = [];
      const listed = new LineCollector(request.limit);
      const { deadlineMs, waitMs } = searchLimits(request);
      const totalMs = withHeadroom(waitMs, deadlineMs);
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
        if ('started' in line) onStart?.();
        else if ('file' in line) files.push(line.file);
        else if ('listed' in line) listed.add(line.listed.lines, () => line.listed);
        else {
          const { unlisted, ...summary } = line.summary;
          const all = unlisted === undefined ? {} : { listed: { ...listed.result(), unlisted } };
          return { files, ...all, ...summary } satisfies SearchResult;
        }
      }
      throw unreachable('the response ended early');
    },
    rank: async (scope, request, signal, onStart) => {
      const totalMs = withHeadroom(request.waitMs, rankLimits.deadlineMs);
      const lines = connection.lines({
        method: 'POST',
        path: '/rank',
        body: { json: { scope, request } },
        line: rankLine,
        limits,
        stallMs: totalMs,
        totalMs,
        repeatable: true,
        signal,
      });
      for await (const line of lines) {
        if ('problem' in line) throw errorOf(line.problem, line.problem.retryAfter);
        if ('ranking' in line) return line.ranking;
        onStart?.();
      }
      throw unreachable('the response ended early');
    },
    close: async () => undefined,
  };
}

/** Returns the time-out of a call. The engine refuses invalid limits. */
function withHeadroom(...limitsMs: readonly number[]): number {
  return limitsMs.reduce((sum, limitMs) => sum + Math.min(Math.max(limitMs || 0, 0), 60_000), headroomMs);
}
