import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobinProxy extends AsyncDisposable {
  readonly origin: string;
}

/**
 * A loopback load balancer: each request goes to the next of `targets` (origins), whatever connection or session it
 * belongs to, and keeps its Host. The targets may be known only after the proxy's own origin is.
 */
export async function startRoundRobinProxy(targets: readonly string[]): Promise<RoundRobinProxy> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length] ?? '');
    const { method, url: path, headers } = incoming;
    // A connection of its own each: none that a target is about to close is used again.
    const options = { host: hostname, port, method, path, headers, agent: false as const };
    const onward = forward(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(`no answer from ${hostname}:${port}: ${error.message}`);
    });
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
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
