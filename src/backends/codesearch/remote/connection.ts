import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import type { HttpClient, HttpStreamRequest, HttpStreamResponse } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { type Circuit, openCircuit } from './circuit.ts';
import {
  errorOf,
  notAService,
  refusedProtocol,
  responseTooLarge,
  timedOut,
  unreachable,
  unreadableResponse,
} from './errors.ts';
import { problemBody } from './protocol/problem.ts';
import { protocolError, protocolHeader, protocolNumber } from './protocol/version.ts';
import { type LineLimits, readLines } from './read-lines.ts';

export interface ConnectionDeps {
  /** CODESEARCH_URL, as the operator wrote it. */
  readonly url: string;
  readonly secret: string;
  readonly http: HttpClient;
}

export interface Call<Line> {
  readonly method: 'GET' | 'POST';
  /** Path from the root of the service, with the query. */
  readonly path: string;
  /** Sent as JSON, or as a stream of bytes. */
  readonly body?: { readonly json: unknown } | { readonly stream: () => AsyncIterable<Uint8Array> };
  readonly line: z.ZodType<Line>;
  readonly limits: LineLimits;
  /** Time-outs in milliseconds: without receiving a byte, and of the whole call. */
  readonly stallMs: number;
  readonly totalMs: number;
  /** True if the call is idempotent. It is then retried once after a connection error. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal;
}

/** Delay before the single retry, in milliseconds: a restarted service listens again by then. */
const retryDelayMs = 200;
const maxProblemBytes = 64 * 1024;

/** Sends calls to one code search service. Every error is one of `errors.ts`, or an error of the engine. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #circuit: Circuit = openCircuit();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** Returns the only line of the response. */
  async fetchOne<Line>(call: Call<Line>): Promise<Line> {
    let response: { readonly line: Line } | undefined;
    for await (const line of this.lines(call)) response = { line };
    if (response === undefined) throw unreadableResponse('an empty response');
    return response.line;
  }

  /** Sends a call with an empty response. */
  async send<Line>(call: Call<Line>): Promise<void> {
    for await (const line of this.lines(call)) throw unreadableResponse(line);
  }

  /**
   * Yields the lines of the response as they arrive. A caller that stops reading ends the call, and with it the work
   * at the service.
   */
  async *lines<Line>(call: Call<Line>): AsyncGenerator<Line, void> {
    call.signal.throwIfAborted();
    this.#circuit.check();
    const total = new AbortController();
    const timer = setTimeout(() => total.abort(), call.totalMs);
    const signal = AbortSignal.any([call.signal, total.signal]);
    try {
      const response = await this.#open(call, signal);
      this.#circuit.succeeded();
      await throwIfRefused(response);
      for await (const text of readLines(response.body, call.limits, responseTooLarge)) {
        yield parsed(call.line, text);
      }
    } catch (error) {
      call.signal.throwIfAborted();
      const problem = total.signal.aborted ? timedOut(error) : requestError(error);
      if (problem instanceof OrgctxError && problem.cause instanceof OutboundError)
        this.#circuit.failed(problem);
      throw problem;
    } finally {
      clearTimeout(timer);
    }
  }

  async #open<Line>(call: Call<Line>, signal: AbortSignal): Promise<HttpStreamResponse> {
    const request = this.#request(call, signal);
    try {
      return await this.#deps.http.stream(request());
    } catch (error) {
      if (!call.repeatable || !isConnectionError(error)) throw error;
      await sleep(retryDelayMs, undefined, { signal });
      return this.#deps.http.stream(request());
    }
  }

  /** Returns a factory, because a stream can be sent only once and a retry needs a new request. */
  #request<Line>({ method, path, body, stallMs }: Call<Line>, signal: AbortSignal): () => HttpStreamRequest {
    const { url, secret } = this.#deps;
    const headers = {
      authorization: `Bearer ${secret}`,
      [protocolHeader]: String(protocolNumber),
    };
    const base = { url: `${withoutEnd(url, '/')}${path}`, method, stallMs, signal };
    if (body === undefined) return () => ({ ...base, headers });
    if ('json' in body) {
      const text = JSON.stringify(body.json);
      return () => ({ ...base, headers: { ...headers, 'content-type': 'application/json' }, body: text });
    }
    const contentType = { 'content-type': 'application/octet-stream' };
    return () => ({ ...base, headers: { ...headers, ...contentType }, body: body.stream() });
  }
}

/** Checks the status and the protocol of a response. @throws the error that it contains */
async function throwIfRefused({ status, headers, body }: HttpStreamResponse): Promise<void> {
  // A proxy may respond instead of the service, without the protocol header.
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  if (status >= 200 && status < 300) {
    const problem = protocolError(headers[protocolHeader], 'caller');
    if (problem === undefined) return;
    throw refusedProtocol(problem);
  }
  const limits = { line: maxProblemBytes, whole: maxProblemBytes };
  const lines: string[] = [];
  for await (const text of readLines(body, limits, responseTooLarge)) lines.push(text);
  if (!isProblem)
    throw status >= 500 ? unreachable(`status ${status}`) : unreadableResponse(`status ${status}`);
  const problem = parsed(problemBody, lines.join('\n'));
  if (problem.code === 'codesearch_protocol') throw refusedProtocol(problem.detail ?? problem.code);
  const wait = Number(headers['retry-after']);
  throw errorOf(problem, Number.isFinite(wait) && wait > 0 ? wait : undefined);
}

function parsed<Line>(schema: z.ZodType<Line>, text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadableResponse(error);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw unreadableResponse(result.error);
  return result.data;
}

function isConnectionError(error: unknown): boolean {
  return error instanceof OutboundError && (error.reason === 'refused' || error.reason === 'unreachable');
}

function requestError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.reason === 'timeout') return timedOut(error);
  return error.reason === 'tls' || error.reason === 'protocol' ? notAService(error) : unreachable(error);
}
