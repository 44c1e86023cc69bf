import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobinProxy extends AsyncDisposable {
  readonly origin: string;
}

/**
 * Starts a loopback load balancer: forwards each request to the next of `targets` (origins), regardless of its
 * connection or session, and keeps its Host header. The caller may add targets after the proxy has started.
 */
export async function startRoundRobinProxy(targets: readonly string[]): Promise<RoundRobinProxy> {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(targets[count++ % targets.length] ?? '');
    const { method, url: path, headers } = incoming;
    // Each request uses a new connection, so that none is reused while its target is closing it.
    const options = { host: hostname, port, method, path, headers, agent: false as const };
    const forwarded = forward(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forwarded.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(`no response from ${hostname}:${port}: ${error.message}`);
    });
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
