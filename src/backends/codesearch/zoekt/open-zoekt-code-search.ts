import type { HttpClient } from '../../../foundation/net/http.ts';
import { checkRankRequest, checkSearchRequest, searchLimits } from '../check-request.ts';
import type { DefinitionReader } from '../definition-reader.ts';
import { type CodeSearch, rankLimits } from '../port.ts';
import { hasPattern } from '../query-leaves.ts';
import { printQuery } from './query/zoekt-query.ts';
import { rankFiles } from './rank-files.ts';
import { searchFiles } from './search-files.ts';
import { openSearchQueue } from './search-queue.ts';
import { isTimeout, openZoektClient } from './zoekt-client.ts';

export interface ZoektSearchDeps {
  /** CODESEARCH_URL: a `zoekt-webserver -rpc`. */
  readonly url: string;
  readonly http: HttpClient;
  /** Reads the definitions of ranked files. Default: none; their spans are then paragraphs. */
  readonly definitions?: DefinitionReader;
  /**
   * Duration for which patterns of an organization are refused after one that Zoekt did not finish in time, in
   * milliseconds. Default: 10,000.
   */
  readonly holdBackMs?: number;
}

const noDefinitions: DefinitionReader = {
  supports: () => false,
  read: async (files) => files.map(() => []),
};

/** Opens code search over a Zoekt whose index `openZoektCodeIndex` writes. */
export function openZoektCodeSearch({
  url,
  http,
  definitions = noDefinitions,
  holdBackMs,
}: ZoektSearchDeps): CodeSearch {
  const client = openZoektClient(http, url);
  const queue = openSearchQueue(isTimeout, holdBackMs);
  return {
    capabilities: { rank: 'native' },
    search: async (scope, request, signal, onStart) => {
      signal.throwIfAborted();
      checkSearchRequest(request);
      const { waitMs } = searchLimits(request);
      const waiting = { ...scope, hasPattern: hasPattern(request.query), waitMs, signal, onStart };
      return queue.run(waiting, (untilDone) => searchFiles(client, scope, request, untilDone));
    },
    rank: async (scope, request, signal, onStart) => {
      signal.throwIfAborted();
      checkRankRequest(request);
      const waiting = { ...scope, hasPattern: false, waitMs: request.waitMs, signal, onStart };
      return queue.run(waiting, () =>
        rankFiles({ client, definitions }, scope, request, rankLimits.deadlineMs, signal),
      );
    },
    close: async () => queue.close(),
  };
}

/** Checks that a Zoekt with the search interface answers at the URL. @throws Unavailable that names the remedy */
export async function checkZoekt({ url, http }: ZoektSearchDeps, signal: AbortSignal): Promise<void> {
  // A name that no repository has, so that the response is short.
  const query = printQuery({ kind: 'repository', pattern: '-' });
  await openZoektClient(http, url).list(query, 5000, signal);
}
