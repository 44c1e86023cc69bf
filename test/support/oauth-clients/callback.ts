import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a client on this computer waits for the browser to come back (RFC 8252 section 7.3). */
export interface OAuthCallback extends AsyncDisposable {
  readonly redirectUri: string;
  /** The address that the browser came to with this `state`. Fails after half a minute. */
  answer(state: string): Promise<URL>;
}

export async function openCallback(): Promise<OAuthCallback> {
  const arrived = new Map<string, PromiseWithResolvers<URL>>();
  const of = (state: string): PromiseWithResolvers<URL> => {
    const known = arrived.get(state) ?? Promise.withResolvers<URL>();
    arrived.set(state, known);
    return known;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    if (url.pathname !== '/callback') return response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back at the client</title>');
    return of(url.searchParams.get('state') ?? '').resolve(url);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: (state) => within(30_000, of(state).promise, `the browser came back with state ${state}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Fails when something that is awaited does not happen in `timeoutMs`. */
export async function within<Value>(timeoutMs: number, event: Promise<Value>, what: string): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not within ${timeoutMs} ms: ${what}`)), timeoutMs);
  try {
    return await Promise.race([event, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
