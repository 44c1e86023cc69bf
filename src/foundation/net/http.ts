/** The port of outbound HTTP. `createHttpClient` in `http-client.ts` creates one; close it when the process ends. */
export interface HttpClient {
  /**
   * Sends one request and reads the whole response body. Every status is a response, including 4xx and 5xx.
   * @throws OutboundError if there was no response (see `reason`), RefusedDestination if the URL may not be called,
   * and the reason of `signal` if that was aborted.
   */
  request(options: HttpRequest): Promise<HttpResponse>;
  /**
   * Sends one request to an operator's URL with a streamed body, and returns the response as soon as its headers
   * arrive. The response body is read as it arrives; a reader that stops ends the exchange. Redirects are not
   * followed and content encodings are not decoded.
   * @throws as `request` does; the body throws the same errors if the response breaks off or stalls.
   */
  stream(options: HttpStreamRequest): Promise<HttpStreamResponse>;
  close(): Promise<void>;
}

/**
 * The origin of a URL (contract section 2, "Outbound"). `operator`: a setting or a flag, used as written. `tenant`:
 * from data, so it must be https and public unless OUTBOUND_ALLOW_HOSTS names its host.
 */
export type DestinationKind = 'operator' | 'tenant';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface HttpRequest {
  readonly url: string;
  readonly destination: DestinationKind;
  /** Default: GET. */
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Time limit of the whole exchange including redirects, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Maximum size of the response body, counted after decoding. Default: 1 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** True to follow up to 5 redirects, each checked like the first URL. Default: false, a 3xx is the response. */
  readonly followRedirects?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body after content decoding. */
  readonly body: Uint8Array;
  /** The URL that responded, which differs from the requested one after redirects. */
  readonly url: string;
}

export interface HttpStreamRequest {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  /**
   * Maximum time from the end of the request to the response headers, and between two chunks of the body, in
   * milliseconds.
   */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

export interface HttpStreamResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}
