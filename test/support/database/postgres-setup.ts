import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { findServerBinaries, type PostgresServer, startServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL whose `GET` response is the URL of the Postgres server; null if this host has no Postgres. */
    postgresBroker: string | null;
  }
}

/**
 * Provides a real Postgres server from the host's binaries in a temporary folder. It starts when the first test needs
 * it, so a run without database tests has no cost, and stops with the run, even when the run is killed.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = await findServerBinaries();
  if (bin === undefined) {
    const hint = 'no PostgreSQL server binaries found (PATH, /usr/lib/postgresql/*/bin)';
    if (process.env['CI'] === 'true') throw new Error(`${hint}: the suites for Postgres must run under CI`);
    console.warn(`WARNING: ${hint}: every suite for Postgres is SKIPPED`);
    project.provide('postgresBroker', null);
    return async () => {};
  }
  let server: Promise<PostgresServer> | undefined;
  const broker = createServer((_request, response) => {
    server ??= startServer(bin);
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => broker.listen(0, '127.0.0.1', listening));
  broker.unref();
  project.provide('postgresBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}/`);
  return async () => {
    broker.close();
    await server?.then(
      (running) => running.stop(),
      () => {},
    );
  };
}
