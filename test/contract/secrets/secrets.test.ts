import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openCurrentDatabase } from '../../../src/app/open/open-database.ts';
import { openSecrets } from '../../../src/app/open/open-secrets.ts';
import { type RunningService, startService } from '../../../src/app/processes/serve.ts';
import { startWorker } from '../../../src/app/processes/worker.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { NotConfigured } from '../../../src/foundation/config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../../src/foundation/config/load-config.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { readSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [keyA, keyB] = ['a'.repeat(40), 'b'.repeat(40)] as const;
const appSecrets = { clientSecret: 'hush-of-the-client', webhookSecret: 'hush-of-the-webhook' };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describeEachDatabase('the keys of connection secrets in serve and worker', (open, dialect) => {
  /** Returns the settings of one process of a deployment: `env` added to the shared ones. */
  async function deployment() {
    const { options } = await open();
    const folder = temporaryFolder();
    const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
    return (env: Readonly<Record<string, string>>): LoadedConfig =>
      loadConfig({
        env: { DATA_DIR: join(folder, 'data'), DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'error', ...env },
        cwd: folder,
        homeDir: folder,
      });
  }

  async function serve(settings: LoadedConfig, log = silentLog): Promise<RunningService> {
    const service = await startService(settings, log);
    cleanups.push(() => service.stop());
    return service;
  }

  async function work(settings: LoadedConfig, log = silentLog): Promise<void> {
    const worker = await startWorker(settings, log);
    cleanups.push(() => worker.stop(1_000));
  }

  /** Creates a tracker connection over REST, saves its app and returns the id of the connection. */
  async function saveApp({ config, database }: RunningService): Promise<ConnectionId> {
    const { user } = await admitUser(
      { database, clock },
      { email: 'ada@example.com', orgSlug: 'acme', role: 'owner' },
    );
    const { apiKey } = await createApiKey(database.queries, { userId: user.id, name: 'test' }, clock);
    const call = async (method: string, path: string, body: object): Promise<{ id: ConnectionId }> => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
      const url = `${config.baseUrl}/acme/api/v1/connections${path}`;
      const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as { id: ConnectionId };
    };
    const { id } = await call('POST', '', { kind: 'tracker' });
    await call('PUT', `/${id}/app`, { clientId: 'client', ...appSecrets });
    return id;
  }

  /** Saves an app like `saveApp` and stops the server, since a data folder has one server at a time. */
  async function saveAppAndStop(settings: LoadedConfig): Promise<ConnectionId> {
    const service = await startService(settings, silentLog);
    try {
      return await saveApp(service);
    } finally {
      await service.stop();
    }
  }

  /** Returns the saved app as a process with these settings reads it. */
  async function readApp(settings: LoadedConfig, connectionId: ConnectionId): Promise<unknown> {
    const database = await openCurrentDatabase(settings, 'command', silentLog, { create: false });
    cleanups.push(() => database.close());
    const keyring = await openSecrets(settings, database);
    const read = (field: string) => readSecret(database.queries, keyring, { connectionId, field });
    return { clientSecret: await read('clientSecret'), webhookSecret: await read('webhookSecret') };
  }

  it.each([
    ['AUTH_SECRET', { AUTH_SECRET: keyA }],
    ['CONNECTION_SECRETS_ENCRYPTION_KEY', { AUTH_SECRET: keyB, CONNECTION_SECRETS_ENCRYPTION_KEY: keyA }],
  ])('%s encrypts what the backend saves, and a worker with the same reads it', async (_name, env) => {
    const settings = await deployment();
    const id = await saveApp(await serve(settings(env)));
    await work(settings(env));
    expect(await readApp(settings(env), id)).toEqual(appSecrets);
  });

  it('a worker or backend with another key does not start, and names the settings to check', async () => {
    const settings = await deployment();
    await saveAppAndStop(settings({ AUTH_SECRET: keyA }));
    for (const start of [startWorker, startService]) {
      const failure = start(settings({ AUTH_SECRET: keyB }), silentLog);
      await expect(failure).rejects.toThrow(NotConfigured);
      await expect(failure).rejects.toThrow(/CONNECTION_SECRETS_ENCRYPTION_KEY .*AUTH_SECRET/);
    }
  });

  it('AUTH_SECRET still decrypts after CONNECTION_SECRETS_ENCRYPTION_KEY is added, and the log asks for a rotation', async () => {
    const settings = await deployment();
    const id = await saveAppAndStop(settings({ AUTH_SECRET: keyA }));
    const added = settings({ LOG_LEVEL: 'info', AUTH_SECRET: keyA, CONNECTION_SECRETS_ENCRYPTION_KEY: keyB });
    expect(await readApp(added, id)).toEqual(appSecrets);
    const [served, worked] = [memoryLog(), memoryLog()];
    await serve(added, served.log);
    await work(added, worked.log);
    expect(served.lines[0]).toMatchObject({ msg: 'listening' });
    for (const { lines } of [served, worked]) {
      const [warning] = lines.filter(({ level }) => level === 40);
      expect(warning?.['msg']).toMatch(/orgctx secrets rotate/);
      expect(JSON.stringify(lines)).not.toMatch(/hush|aaaa|bbbb/);
    }
  });

  if (dialect === 'sqlite') {
    it('a loopback deployment creates the key in its data folder, the same for all of its processes', async () => {
      const settings = await deployment();
      const id = await saveApp(await serve(settings({})));
      await work(settings({}));
      expect(await readApp(settings({}), id)).toEqual(appSecrets);
    });

    it('no file of a deployment contains a saved secret in plain text', async () => {
      const { options } = await open();
      if (options.dialect !== 'sqlite') throw new Error('a SQLite file was asked for');
      const folder = join(options.file, '..');
      const settings = loadConfig({
        env: { DATA_DIR: folder, DATABASE_URL: `sqlite:${options.file}`, PORT: '0', LOG_LEVEL: 'error' },
        cwd: folder,
        homeDir: folder,
      });
      const id = await saveApp(await serve(settings));
      expect(await readApp(settings, id)).toEqual(appSecrets);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['orgctx.db', 'orgctx.db-wal']));
      for (const { parentPath, name } of files) {
        expect([name, readFileSync(join(parentPath, name)).includes('hush-of')]).toEqual([name, false]);
      }
    });
  }
});
