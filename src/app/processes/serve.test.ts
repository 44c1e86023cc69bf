import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryLog } from '../../../test/support/memory-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createApiKey } from '../../features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../features/identity/people/admit-user.ts';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { requireFreePort } from './bind-port.ts';
import { type RunningService, type ServeOptions, startService } from './serve.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function settingsOf(flags: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const env = { DATA_DIR: join(folder, 'data'), AUTH_SECRET: 'x'.repeat(40) };
  return loadConfig({ env, flags, cwd: folder, homeDir: folder });
}

async function serve(options: ServeOptions = {}): Promise<RunningService> {
  const service = await startService(settingsOf({ PORT: '0' }), memoryLog().log, options);
  cleanups.push(() => service.stop().catch(() => undefined));
  return service;
}

const statusOf = async ({ config }: RunningService) => (await fetch(`${config.baseUrl}/.status`)).status;

/** Starts an authenticated request whose body never ends. Returns when the server has received its head. */
async function startSlowRequest({ config, database }: RunningService): Promise<Socket> {
  const admitted = await admitUser(
    { database, clock: systemClock },
    { email: 'ada@example.com', orgSlug: 'acme' },
  );
  const { apiKey } = await createApiKey(
    database.queries,
    { userId: admitted.user.id, name: 'test' },
    systemClock,
  );
  const { hostname, port } = new URL(config.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  cleanups.push(() => socket.destroy());
  const head = ['POST /acme/api/v1/context HTTP/1.1', 'host: x', `authorization: Bearer ${apiKey}`];
  const bodyHead = ['content-type: application/json', 'content-length: 9', 'expect: 100-continue'];
  socket.write(`${[...head, ...bodyHead].join('\r\n')}\r\n\r\n`);
  const [continued] = (await once(socket, 'data')) as [Buffer];
  expect(continued.toString()).toMatch(/^HTTP\/1.1 100/);
  socket.write('{');
  return socket;
}

describe('a service', () => {
  it('reports a port in use and how to choose another', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    cleanups.push(() => holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    await expect(startService(settingsOf({ PORT: String(port) }), memoryLog().log)).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringMatching(new RegExp(`${port}.*--port`)) as string,
    });
  });

  it('finds a port in use before quickstart creates anything', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    cleanups.push(() => holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { config } = settingsOf({ PORT: String(port) });
    await expect(requireFreePort(config)).rejects.toMatchObject({ code: 'port_in_use' });
    holder.close();
    await once(holder, 'close');
    await requireFreePort(config);
  });

  it('reports an address that this machine does not have', async () => {
    const settings = settingsOf({ PORT: '3000', HOST: '192.0.2.1' });
    await expect(startService(settings, memoryLog().log)).rejects.toMatchObject({
      code: 'address_unavailable',
    });
  });

  it('responds with 503 while it drains a request in flight, then ends', async () => {
    const service = await serve();
    const slow = await startSlowRequest(service);
    expect(await statusOf(service)).toBe(200);
    const drained = service.stop();
    expect(await statusOf(service)).toBe(503);
    slow.destroy();
    await drained;
    await expect(statusOf(service)).rejects.toThrow();
  });

  it('closes a request that does not finish in time while it drains', async () => {
    const service = await serve({ graceMs: { requests: 500, worker: 500 } });
    const closed = once(await startSlowRequest(service), 'close');
    const draining = performance.now();
    await service.stop();
    await closed;
    expect(performance.now() - draining).toBeGreaterThanOrEqual(490);
    expect(performance.now() - draining).toBeLessThan(7_900);
  });

  it('kills a worker that does not end in time while it drains', async () => {
    const program = join(temporaryFolder(), 'worker.mjs');
    writeFileSync(program, "process.on('message', () => {}); process.send({ type: 'ready' });");
    const { log, lines } = memoryLog();
    const worker = { program, args: [] };
    const settings = settingsOf({ PORT: '0' });
    const service = await startService(settings, log, { worker, graceMs: { requests: 300, worker: 600 } });
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('worker ready');
    await service.stop();
    const { pid } = lines.find(({ msg }) => msg === 'worker ready') ?? {};
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});
