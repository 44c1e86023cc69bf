import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BearerProxy {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * A loopback reverse proxy that signs requests in, for tools that cannot: it adds the bearer token and the
 * organization, and leaves Host and Origin as they are. `upstream` may be known only after the proxy's own origin is.
 */
export async function startBearerProxy(target: () => { url: URL; token: string }): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => {
    const { url, token } = target();
    const { pathname } = new URL(incoming.url ?? '/', url);
    const onward = forward(
      { host: url.hostname, port: url.port, method: incoming.method, path: `${pathname}${url.search}` },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    for (const [name, value] of Object.entries(incoming.headers))
      if (value !== undefined) onward.setHeader(name, value);
    onward.setHeader('authorization', `Bearer ${token}`);
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
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
