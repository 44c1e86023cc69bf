import type { HttpClient } from '../../../foundation/net/http.ts';
import { checkRankRequest, checkSearchRequest } from '../check-request.ts';
import type { CodeSearch } from '../port.ts';
import { printQuery } from './query/zoekt-query.ts';
import { rankFiles } from './rank-files.ts';
import { searchFiles } from './search-files.ts';
import { openZoektClient } from './zoekt-client.ts';

export interface ZoektSearchDeps {
  /** CODESEARCH_URL: a `zoekt-webserver -rpc`. */
  readonly url: string;
  readonly http: HttpClient;
}

/** Answers from a Zoekt whose index `openZoektCodeIndex` writes. */
export function openZoektCodeSearch({ url, http }: ZoektSearchDeps): CodeSearch {
  const client = openZoektClient(http, url);
  return {
    capabilities: { rank: 'native' },
    search: async (scope, request, signal) => {
      signal.throwIfAborted();
      checkSearchRequest(request);
      return searchFiles(client, scope, request, signal);
    },
    rank: async (scope, request, signal) => {
      signal.throwIfAborted();
      checkRankRequest(request);
      return rankFiles(client, scope, request, signal);
    },
    close: async () => undefined,
  };
}

/** Whether a Zoekt answers there, with the interface that searches need. @throws Unavailable naming what to do */
export async function askZoekt({ url, http }: ZoektSearchDeps, signal: AbortSignal): Promise<void> {
  // A name that no repository has: the answer is short.
  const query = printQuery({ kind: 'repository', pattern: '-' });
  await openZoektClient(http, url).list(query, 5000, signal);
}
