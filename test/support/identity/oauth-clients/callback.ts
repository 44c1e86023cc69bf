import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The loopback redirect endpoint of a native client (RFC 8252 section 7.3). */
export interface OAuthCallback extends AsyncDisposable {
  readonly redirectUri: string;
  /** Waits for the redirect with this `state` and returns its URL. Fails after 30 seconds. */
  answer(state: string): Promise<URL>;
}

export async function openCallback(): Promise<OAuthCallback> {
  const redirects = new Map<string, PromiseWithResolvers<URL>>();
  const of = (state: string): PromiseWithResolvers<URL> => {
    const known = redirects.get(state) ?? Promise.withResolvers<URL>();
    redirects.set(state, known);
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
    answer: (state) => within(30_000, of(state).promise, `redirect with state ${state}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the result of `event`; fails after `timeoutMs`. */
export async function within<Value>(timeoutMs: number, event: Promise<Value>, what: string): Promise<Value> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new Error(`timed out after ${timeoutMs} ms: ${what}`)),
    timeoutMs,
  );
  try {
    return await Promise.race([event, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
