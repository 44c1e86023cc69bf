import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BearerProxy {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Starts a loopback reverse proxy for tools that cannot authenticate: it adds the bearer token and the organization,
 * and keeps Host and Origin unchanged. `target` is a function because it may be known only after the proxy has started.
 */
export async function startBearerProxy(target: () => { url: URL; token: string }): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => {
    const { url, token } = target();
    const { pathname } = new URL(incoming.url ?? '/', url);
    const forwarded = forward(
      { host: url.hostname, port: url.port, method: incoming.method, path: `${pathname}${url.search}` },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    for (const [name, value] of Object.entries(incoming.headers))
      if (value !== undefined) forwarded.setHeader(name, value);
    forwarded.setHeader('authorization', `Bearer ${token}`);
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
