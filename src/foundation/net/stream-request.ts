import { Readable } from 'node:stream';
import { OrgctxError } from '../kernel/errors.ts';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import { bareHost } from './allow-hosts.ts';
import { checkDestination } from './check-destination.ts';
import { classifyFailure } from './classify-failure.ts';
import type { Sender } from './connector.ts';
import type { HttpStreamRequest, HttpStreamResponse } from './http.ts';
import { proxyFailure } from './proxy-failure.ts';
import { traceHeader } from './trace-request.ts';
import { untilAborted } from './until-aborted.ts';

/** Sends one request with streamed bodies. See `HttpClient.stream`. */
export async function streamRequest(
  { url: given, method = 'GET', headers = {}, body, stallMs, signal }: HttpStreamRequest,
  open: () => Promise<Sender>,
): Promise<HttpStreamResponse> {
  assertOutsideTransaction('An HTTP request');
  signal.throwIfAborted();
  const destination = checkDestination(given, 'operator', []);
  const { url } = destination;
  const host = bareHost(url.host);
  const failure = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    return error instanceof OrgctxError ? error : classifyFailure(host, error);
  };
  try {
    const { send, route } = await open();
    const { dispatcher, proxy } = await route(destination);
    const sent = send(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'orgctx', ...traceHeader({ destination: 'operator' }), ...headers },
      body: typeof body === 'object' ? Readable.from(body, { objectMode: false }) : (body ?? null),
      headersTimeout: stallMs,
      bodyTimeout: stallMs,
      signal,
    });
    // undici reacts to an abort only once it is connected.
    const response = await untilAborted(sent, signal).catch((error: unknown) => {
      throw proxyFailure(proxy, host, error) ?? error;
    });
    return {
      status: response.statusCode,
      headers: joined(response.headers),
      body: withConvertedErrors(response.body, failure),
    };
  } catch (error) {
    throw failure(error);
  }
}

/** Yields the chunks of a body, and converts the error that breaks it off. */
async function* withConvertedErrors(
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
