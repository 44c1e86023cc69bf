/** The port of outbound HTTP. `createHttpClient` in `http-client.ts` makes one; close it when the process ends. */
export interface HttpClient {
  /**
   * Sends one request and reads its whole body. Every status is an answer, 4xx and 5xx too.
   * @throws OutboundError when no answer came (`reason` says why), RefusedDestination when the URL may not be called,
   * the reason of `signal` when that was aborted.
   */
  request(options: HttpRequest): Promise<HttpResponse>;
  /**
   * Sends one request to an operator's URL, its body piece by piece, and gives the answer as soon as its head is there.
   * The body is read as it comes; whoever stops reading ends the exchange. No redirects, no content encodings.
   * @throws as `request` does; the body throws the same when the answer breaks off or stalls.
   */
  stream(options: HttpStreamRequest): Promise<HttpStreamResponse>;
  close(): Promise<void>;
}

/**
 * Who wrote the URL (contract section 2, "Outbound"). `operator`: a setting or a flag, used as written. `tenant`: it
 * came from data, so it must be https and public unless OUTBOUND_ALLOW_HOSTS names its host.
 */
export type DestinationKind = 'operator' | 'tenant';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface HttpRequest {
  readonly url: string;
  readonly destination: DestinationKind;
  /** Default GET. */
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Of the whole exchange with its redirects, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  /** Of the answer's body, counted after decoding; default 1 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Follow up to 5 redirects, each checked like the first URL. Default false: a 3xx is the answer. */
  readonly followRedirects?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Content encodings removed. */
  readonly body: Uint8Array;
  /** The URL that answered: another than the one asked after redirects. */
  readonly url: string;
}

export interface HttpStreamRequest {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  /** From the end of the request to the head of the answer, and between two pieces of it, in milliseconds. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

export interface HttpStreamResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}
