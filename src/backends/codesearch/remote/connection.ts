import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { HttpClient, HttpStreamRequest, HttpStreamResponse } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { type Circuit, openCircuit } from './circuit.ts';
import {
  answersTooMuch,
  errorOf,
  misled,
  notUnderstood,
  refusedProtocol,
  tooSlow,
  unreachable,
} from './faults.ts';
import { problemBody } from './protocol/problem.ts';
import { protocolFault, protocolHeader, protocolNumber } from './protocol/version.ts';
import { type LineLimits, readLines } from './read-lines.ts';

export interface ConnectionDeps {
  /** CODESEARCH_URL, as the operator wrote it. */
  readonly url: string;
  readonly secret: string;
  readonly http: HttpClient;
}

export interface Call<Line> {
  readonly method: 'GET' | 'POST';
  /** From the service's root, with the query. */
  readonly path: string;
  /** Sent as JSON, or piece by piece as it is. */
  readonly body?: { readonly json: unknown } | { readonly stream: () => AsyncIterable<Uint8Array> };
  readonly line: z.ZodType<Line>;
  readonly limits: LineLimits;
  /** Without a byte, and of the whole; milliseconds. */
  readonly stallMs: number;
  readonly totalMs: number;
  /** True where doing it twice is the same as once: then a connection that failed is tried once more. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds before the one repetition: a service that is just restarted listens again. */
const pauseMs = 200;
const mostProblemBytes = 64 * 1024;

/** Calls to one code search service. Every fault comes out as one of `faults.ts`, or as the engine's own. */
export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #circuit: Circuit = openCircuit();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** The one line that the answer consists of. */
  async ask<Line>(call: Call<Line>): Promise<Line> {
    let answer: { readonly line: Line } | undefined;
    for await (const line of this.lines(call)) answer = { line };
    if (answer === undefined) throw notUnderstood('an empty answer');
    return answer.line;
  }

  /** For what is answered with nothing. */
  async tell<Line>(call: Call<Line>): Promise<void> {
    for await (const line of this.lines(call)) throw notUnderstood(line);
  }

  /** The lines of the answer as they come. Who stops reading ends the call, and with it the work at the service. */
  async *lines<Line>(call: Call<Line>): AsyncGenerator<Line, void> {
    call.signal.throwIfAborted();
    this.#circuit.check();
    const total = new AbortController();
    const timer = setTimeout(() => total.abort(), call.totalMs);
    const signal = AbortSignal.any([call.signal, total.signal]);
    try {
      const answer = await this.#open(call, signal);
      this.#circuit.succeeded();
      await refuse(answer);
      for await (const text of readLines(answer.body, call.limits, answersTooMuch)) {
        yield parsed(call.line, text);
      }
    } catch (error) {
      call.signal.throwIfAborted();
      const fault = total.signal.aborted ? tooSlow(error) : faultOf(error);
      if (fault instanceof OrgctxError && fault.cause instanceof OutboundError) this.#circuit.failed(fault);
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  async #open<Line>(call: Call<Line>, signal: AbortSignal): Promise<HttpStreamResponse> {
    const request = this.#request(call, signal);
    try {
      return await this.#deps.http.stream(request());
    } catch (error) {
      if (!call.repeatable || !isConnectionFault(error)) throw error;
      await sleep(pauseMs, undefined, { signal });
      return this.#deps.http.stream(request());
    }
  }

  /** Made anew for each try: a stream can be sent once. */
  #request<Line>({ method, path, body, stallMs }: Call<Line>, signal: AbortSignal): () => HttpStreamRequest {
    const { url, secret } = this.#deps;
    const headers = {
      authorization: `Bearer ${secret}`,
      [protocolHeader]: String(protocolNumber),
    };
    const base = { url: `${url.replace(/\/+$/, '')}${path}`, method, stallMs, signal };
    if (body === undefined) return () => ({ ...base, headers });
    if ('json' in body) {
      const text = JSON.stringify(body.json);
      return () => ({ ...base, headers: { ...headers, 'content-type': 'application/json' }, body: text });
    }
    const type = { 'content-type': 'application/octet-stream' };
    return () => ({ ...base, headers: { ...headers, ...type }, body: body.stream() });
  }
}

/** @throws what an answer that is none says */
async function refuse({ status, headers, body }: HttpStreamResponse): Promise<void> {
  // A proxy may answer in the place of the service, and says nothing of protocols.
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true;
  if (status >= 200 && status < 300) {
    const fault = protocolFault(headers[protocolHeader], 'caller');
    if (fault === undefined) return;
    throw refusedProtocol(fault);
  }
  const limits = { line: mostProblemBytes, whole: mostProblemBytes };
  const lines: string[] = [];
  for await (const text of readLines(body, limits, answersTooMuch)) lines.push(text);
  if (!isProblem) throw status >= 500 ? unreachable(`status ${status}`) : notUnderstood(`status ${status}`);
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
    throw notUnderstood(error);
  }
  const result = schema.safeParse(value);
  if (!result.success) throw notUnderstood(result.error);
  return result.data;
}

function isConnectionFault(error: unknown): boolean {
  return error instanceof OutboundError && (error.reason === 'refused' || error.reason === 'unreachable');
}

function faultOf(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.reason === 'timeout') return tooSlow(error);
  return error.reason === 'tls' || error.reason === 'protocol' ? misled(error) : unreachable(error);
}
