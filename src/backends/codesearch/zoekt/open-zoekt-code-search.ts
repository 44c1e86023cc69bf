import type { HttpClient } from '../../../foundation/net/http.ts';
import { checkRankRequest, checkSearchRequest } from '../check-request.ts';
import { hasPattern } from '../has-pattern.ts';
import { type CodeSearch, rankDeadlineMs } from '../port.ts';
import { printQuery } from './query/zoekt-query.ts';
import { rankFiles } from './rank-files.ts';
import { searchFiles } from './search-files.ts';
import { openSearchQueue } from './search-queue.ts';
import { isLate, openZoektClient } from './zoekt-client.ts';

export interface ZoektSearchDeps {
  /** CODESEARCH_URL: a `zoekt-webserver -rpc`. */
  readonly url: string;
  readonly http: HttpClient;
  /** Milliseconds for which an organization's patterns wait after one that Zoekt did not end in time. Default: 10 s. */
  readonly heldBackMs?: number;
}

/** Answers from a Zoekt whose index `openZoektCodeIndex` writes. */
export function openZoektCodeSearch({ url, http, heldBackMs }: ZoektSearchDeps): CodeSearch {
  const client = openZoektClient(http, url);
  const queue = openSearchQueue(isLate, heldBackMs);
  return {
    capabilities: { rank: 'native' },
    search: async (scope, request, signal) => {
      signal.throwIfAborted();
      checkSearchRequest(request);
      const { deadlineMs, query } = request;
      const waiting = { ...scope, hasPattern: hasPattern(query), deadlineMs, signal };
      return queue.run(waiting, (leftMs, untilDone) =>
        searchFiles(client, scope, { ...request, deadlineMs: leftMs }, untilDone),
      );
    },
    rank: async (scope, request, signal) => {
      signal.throwIfAborted();
      checkRankRequest(request);
      const waiting = { ...scope, hasPattern: false, deadlineMs: rankDeadlineMs, signal };
      return queue.run(waiting, (leftMs) => rankFiles(client, scope, request, leftMs, signal));
    },
    close: async () => queue.close(),
  };
}

/** Whether a Zoekt answers there, with the interface that searches need. @throws Unavailable naming what to do */
export async function askZoekt({ url, http }: ZoektSearchDeps, signal: AbortSignal): Promise<void> {
  // A name that no repository has: the answer is short.
  const query = printQuery({ kind: 'repository', pattern: '-' });
  await openZoektClient(http, url).list(query, 5000, signal);
}
