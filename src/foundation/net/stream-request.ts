import { Readable } from 'node:stream';
import { type Agent, request as send } from 'undici';
import { OrgctxError } from '../kernel/errors.ts';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import { bareHost } from './allow-hosts.ts';
import { checkDestination } from './check-destination.ts';
import { classifyFailure } from './classify-failure.ts';
import type { HttpStreamRequest, HttpStreamResponse } from './http.ts';
import { traceHeader } from './trace-request.ts';
import { untilAborted } from './until-aborted.ts';

/** One exchange whose bodies are streams. See `HttpClient.stream`. */
export async function streamRequest(
  { url: given, method = 'GET', headers = {}, body, stallMs, signal }: HttpStreamRequest,
  agent: Agent,
): Promise<HttpStreamResponse> {
  assertOutsideTransaction('An HTTP request');
  signal.throwIfAborted();
  const { url } = checkDestination(given, 'operator', []);
  const host = bareHost(url.host);
  const failure = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    return error instanceof OrgctxError ? error : classifyFailure(host, error);
  };
  try {
    const sent = send(url, {
      dispatcher: agent,
      method,
      headers: { 'user-agent': 'orgctx', ...traceHeader({ destination: 'operator' }), ...headers },
      body: typeof body === 'object' ? Readable.from(body, { objectMode: false }) : (body ?? null),
      headersTimeout: stallMs,
      bodyTimeout: stallMs,
      signal,
    });
    // undici hears of an abort only once it is connected.
    const answer = await untilAborted(sent, signal);
    return {
      status: answer.statusCode,
      headers: joined(answer.headers),
      body: named(answer.body, failure),
    };
  } catch (error) {
    throw failure(error);
  }
}

/** The pieces of a body; what breaks it off is thrown in our own words. */
async function* named(
  body: AsyncIterable<Uint8Array>,
  failure: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    throw failure(error);
  }
}

function joined(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}
