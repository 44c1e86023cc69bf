import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIntake } from '../../../src/features/connectors/intake/open-intake.ts';
import { webhookSources } from '../../../src/features/connectors/intake/verify-webhook.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { entityKinds } from '../../../src/features/mirror/format/record-kind.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { saveSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { metricsOff } from '../../../src/foundation/telemetry/metrics.ts';
import { type ToyEvent, toy, toyWebhook } from '../../standins/toy-connector.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import {
  openTestHttp,
  openTestKeyring,
  publicOrigin,
  type TestHttp,
} from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const src = join(import.meta.dirname, '../../../src');
const folder = join(src, 'features/connectors');
/** Folders that all connectors share. */
const shared = ['assets', 'configuration', 'connections', 'entities', 'health', 'intake', 'setup', 'sync'];

describe('the registry of connectors', () => {
  it('has one line for each folder of a connector', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const own = folders.map(({ name }) => name).filter((name) => !shared.includes(name));
    expect(connectors.map(({ kind }) => kind).toSorted()).toEqual(own.toSorted());
  });

  it('is all that names a connector outside its folder', () => {
    const kinds = connectors.map(({ kind }) => kind);
    const own = new RegExp(`^features/connectors/(?:(?:${kinds.join('|')})/|registry\\.ts$)`);
    const named = new RegExp(`${kinds.join('|')}|pagerduty|linear-`, 'i');
    const others = globSync('**/*.{ts,tsx}', { cwd: src }).filter(
      (file) => !own.test(file) && !file.endsWith('.test.ts'),
    );
    expect(others.length).toBeGreaterThan(500);
    expect(others.filter((file) => named.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
  });

  it('is all that leads to the kinds of records: what serves all of them names none', () => {
    const kinds = connectors.flatMap(({ records }) => records.kinds);
    const words = new Set(kinds.flatMap(({ type, entity = type }) => [type, entity]));
    // A column of names has this name too, and `issue` is also what is wrong in a configuration file.
    words.delete('label');
    const named = new RegExp(`'(?:${[...words].join('|')})'`);
    const sharedFolders = `{${shared.filter((name) => name !== 'configuration').join(',')}}`;
    const files = globSync(
      [
        `features/connectors/{${sharedFolders}/**/,}*.ts`,
        'features/mirror/**/*.ts',
        'features/knowledge/{*,links/record-facts}.ts',
        'surfaces/{mcp/{resources,entities},pages/entities}/*.ts',
      ],
      { cwd: src },
    ).filter((file) => !file.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(80);
    expect(files.filter((file) => named.test(readFileSync(join(src, file), 'utf8')))).toEqual([]);
    expect(words.size).toBeGreaterThan(10);
  });

  it('gives each connector a kind, a folder of files and settings of its own', () => {
    const settings = connectors.flatMap(({ settings: { table } }) => Object.keys(table));
    for (const values of [
      connectors.map(({ kind }) => kind),
      connectors.map(({ records }) => records.root),
      connectors.flatMap(({ records }) => records.kinds.map(({ type }) => type)),
      connectors.flatMap(({ records }) => entityKinds(records.kinds)),
      settings,
    ]) {
      expect(new Set(values).size).toBe(values.length);
    }
    for (const { records } of connectors)
      for (const { files } of records.kinds) expect(files.startsWith(`${records.root}/`)).toBe(true);
  });
});

describe('a connector that is one value', () => {
  const all = [...connectors, toy];
  let database: TestDatabase;
  let http: TestHttp;
  let origin: string;
  let id: ConnectionId;
  let close: () => Promise<void>;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    const keyring = await openTestKeyring(database);
    const home = temporaryFolder();
    const { secrets } = loadConfig({
      env: { DATA_DIR: home, TOY_WEBHOOK_SECRET: 'of-the-deployment' },
      cwd: home,
      homeDir: home,
      providerSettings: toy.settings.table,
    });
    const { providerSettings } = secrets;
    const sources = webhookSources(all, providerSettings);
    const intake = openIntake({ database, keyring, sources, clock, log: silentLog, metrics: metricsOff });
    const connections = { connectors: all, providerSettings, baseUrl: publicOrigin };
    http = await openTestHttp(database, { intake, connections });
    origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
    close = async () => {
      await http.server.close();
      await intake.close(0);
      await database.close();
    };
  });
  afterAll(() => close());

  const create = async (account: string, secrets: readonly string[]): Promise<ConnectionId> => {
    const payload = { kind: 'toy', name: account };
    const url = '/acme/api/v1/connections';
    const created = (await http.call({ method: 'POST', url, payload, as: 'admin' })).json<{
      id: ConnectionId;
    }>();
    const keyring = await openTestKeyring(database);
    await database.transaction(async (tx) => {
      await tx
        .updateTable('connections')
        .set({ account_id: account, account: JSON.stringify({ name: account }), state: 'connected' })
        .where('id', '=', created.id)
        .execute();
      for (const [index, text] of secrets.entries()) {
        const place = { connectionId: created.id, field: `webhookSecret.${index}` };
        await saveSecret(tx, keyring, place, text, clock());
      }
    });
    return created.id;
  };
  const deliver = async (account: string, key: string, event?: ToyEvent) => {
    const { headers, body } = toyWebhook(account, key, event);
    const response = await fetch(`${origin}/api/v1/webhook/toy`, { method: 'POST', headers, body });
    const { status, code } = (await response.json()) as { status: string | number; code?: string };
    return code ?? status;
  };
  const jobs = () => database.queries.selectFrom('jobs').select(['task', 'key']).execute();
  const record = async () =>
    (await http.call({ url: `/acme/api/v1/connections/${id}` })).json<Record<string, unknown>>();

  let account = 0;
  beforeEach(async () => {
    account += 1;
    await database.queries.deleteFrom('jobs').execute();
    id = await create(`box-${account}`, ['former', 'current']);
  });

  it('has connections, a webhook address and a place in the API description', async () => {
    expect(await record()).toMatchObject({
      kind: 'toy',
      state: 'connected',
      webhookSecretConfigured: true,
      webhookUrl: `${publicOrigin}/api/v1/webhook/toy`,
    });
    const { paths } = (await http.call({ url: '/openapi.json' })).json<{ paths: Record<string, unknown> }>();
    expect(paths['/api/v1/webhook/toy']).toMatchObject({ post: { operationId: 'receiveToyWebhook' } });
    const unknown = { method: 'POST', url: '/acme/api/v1/connections', as: 'admin' } as const;
    expect((await http.call({ ...unknown, payload: { kind: 'teddy' } })).statusCode).toBe(400);
  });

  it('receives webhooks by a header, verified by any secret of the connection', async () => {
    expect(await deliver(`box-${account}`, 'former', { id: 'a' })).toBe('accepted');
    expect(await deliver(`box-${account}`, 'current', { id: 'b' })).toBe('accepted');
    expect(await jobs()).toEqual([
      { task: 'toy-fetch', key: 'a' },
      { task: 'toy-fetch', key: 'b' },
    ]);
    expect(await deliver(`box-${account}`, 'guess')).toBe('signature_invalid');
    expect(await deliver(`box-${account}`, 'of-the-deployment')).toBe('signature_invalid');
    expect(await deliver('box-0', 'current')).toBe('signature_invalid');
  });

  it('falls back to the secret of its settings for a connection without one', async () => {
    await create(`bare-${account}`, []);
    expect(await deliver(`bare-${account}`, 'of-the-deployment', { id: 'c' })).toBe('accepted');
    expect(await deliver(`bare-${account}`, 'current')).toBe('signature_invalid');
  });

  it('accepts older events than newer ones, as its settings say', async () => {
    const at = (ms: number) => deliver(`box-${account}`, 'current', { at: Date.now() + ms });
    expect(await at(-3_000_000)).toBe('accepted');
    expect(await at(-3_700_000)).toBe('timestamp_stale');
    expect(await at(60_000)).toBe('timestamp_stale');
  });

  it('ends a connection by an event without an entity', async () => {
    expect(await deliver(`box-${account}`, 'current', { type: 'revoked' })).toBe('accepted');
    expect(await record()).toMatchObject({
      state: 'disconnected',
      error: { code: 'authorization_revoked', message: expect.stringContaining('Connect the account again') },
    });
    expect(await deliver(`box-${account}`, 'current', { id: 'late' })).toBe('ignored');
    expect(await jobs()).toEqual([]);
  });
});
