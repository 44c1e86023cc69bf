import type { HttpClient } from '../../../foundation/net/http.ts';
import type { CodeIndex, CodeSearch, SourceReader } from '../port.ts';
import { Connection, type ConnectionDeps } from './connection.ts';
import { serviceResponse } from './protocol/index-work.ts';
import { remoteCodeIndex } from './remote-code-index.ts';
import { remoteCodeSearch } from './remote-code-search.ts';
import { remoteSourceReader } from './remote-source-reader.ts';

/** The ports that a code search service provides to a backend or a worker. */
export interface RemoteCodeSearch {
  readonly search: CodeSearch;
  readonly index: CodeIndex;
  readonly sources: SourceReader;
}

/** Binds the ports to the service at CODESEARCH_URL. Sends nothing before the first call. */
export function openRemoteCodeSearch(deps: ConnectionDeps): RemoteCodeSearch {
  const connection = new Connection(deps);
  return {
    search: remoteCodeSearch(connection),
    index: remoteCodeIndex(connection),
    sources: remoteSourceReader(connection),
  };
}

export interface ServiceStatus {
  readonly version: string;
  readonly ready: boolean;
}

/**
 * Checks that the service responds, accepts the secret and uses this protocol. @throws Unavailable that names the
 * remedy
 */
export async function checkService(
  deps: { readonly url: string; readonly secret: string; readonly http: HttpClient },
  signal: AbortSignal,
): Promise<ServiceStatus> {
  return new Connection(deps).fetchOne({
    method: 'GET',
    path: '/status',
    line: serviceResponse,
    limits: { line: 64 * 1024, whole: 64 * 1024 },
    stallMs: 5_000,
    totalMs: 5_000,
    repeatable: false,
    signal,
  });
}
