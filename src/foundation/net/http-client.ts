import type { HttpClient } from './http.ts';
import type { Lookup } from './resolve-public.ts';

export interface HttpClientDeps {
  /** `Config.outbound.allowHosts`. */
  readonly allowHosts: readonly string[];
  /** Default: the system's resolver. Operator URLs never pass here. */
  readonly lookup?: Lookup;
}

export declare function createHttpClient(deps: HttpClientDeps): HttpClient;
