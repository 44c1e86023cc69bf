import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export interface CountedListener {
  readonly port: number;
  /** Number of connections in the current test. */
  readonly connections: number;
}

/** Listens on every address of this host during the tests of this scope, and counts connections. */
export function useCountedListener(): CountedListener {
  let listener: Server;
  let connections = 0;
  beforeAll(async () => {
    listener = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
    // All of 127/8 and, where this host has IPv6, ::1.
    await new Promise<void>((resolve) => {
      listener.once('error', () => listener.listen(0, '0.0.0.0', resolve));
      listener.listen(0, '::', resolve);
    });
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(() => {
    listener.close();
  });
  return {
    get port() {
      return (listener.address() as AddressInfo).port;
    },
    get connections() {
      return connections;
    },
  };
}
