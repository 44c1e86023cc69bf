import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { providerSettings } from '../../../src/app/open/provider-settings.ts';
import { insertGithost } from '../../../src/features/githosts/githost-store.ts';
import { queueChanges } from '../../../src/features/mirror/change-store.ts';
import { ensureTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { allSettings } from '../../../src/foundation/config/settings/settings.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId, type OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import { saveSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { type GitHttpServer, startGitHttpServer } from '../../standins/git-http-server.ts';
import { type SignedWebhook, signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { findServerBinaries } from '../../support/database/postgres-server.ts';
import { addressedTarget } from '../../support/mirror/addressed-target.ts';
import { createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import { orgctx, start } from '../../support/program/program.ts';
import {
  type HuntedSecrets,
  hunt,
  type Place,
  placesIn,
  watchCommandLines,
} from '../../support/program/secret-hunt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const settings = allSettings(providerSettings);
const settingNames = Object.keys(settings);

/** Returns a secret with characters that each encoding writes differently. */
function newSecret(name: string): string {
  return `${name.toLowerCase()}-${randomBytes(18).toString('hex')}+/=&%`;
}

/** Secret settings whose values have a fixed format; the others may be any text. */
const formattedSettings = ['DATABASE_URL', 'DATABASE_DIRECT_URL'];

/** Returns the path of `pg_dump`, which lies beside the real server binary. */
async function dumpProgram(): Promise<string> {
  const server = join((await findServerBinaries()) ?? '', 'postgres');
  return join(dirname(realpathSync(server)), 'pg_dump');
}

describeEachDatabase('a secret of the suite', (open, dialect) => {
  const account = `workspace-${randomUUID()}`;
  const dataDir = temporaryFolder();
  const hostRoot = temporaryFolder();
  const outputs: Place[] = [];

  /** The secrets that the test searches for. */
  const secrets: Record<string, string> = {
    password: newSecret('password'),
    trackerClientSecret: newSecret('client-of-tracker'),
    trackerWebhookSecret: newSecret('webhook-of-tracker'),
    formerWebhookSecret: newSecret('former-webhook-of-tracker'),
    oncallClientSecret: newSecret('client-of-oncall'),
    refusedSecret: newSecret('of-a-refused-request'),
    gitToken: newSecret('token-of-git-host'),
    wrongGitToken: newSecret('stale-token-of-git-host'),
    ...Object.fromEntries(
      settingNames
        .filter((name) => settings[name]?.secret && !formattedSettings.includes(name))
        .map((name) => [name, newSecret(name.replaceAll('_', '-'))]),
    ),
  };

  let database: TestDatabase;
  let env: Record<string, string>;
  let remote: MirrorRemote;
  let gitHost: GitHttpServer;
  let service: ReturnType<typeof start>;
  let baseUrl: string;

  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const result = await orgctx([...args, '--data-dir', dataDir], { env, ...(input && { input }) });
    expect(result).toMatchObject({ code: 0 });
    outputs.push({ name: `stderr of orgctx ${args[0]}`, bytes: Buffer.from(result.stderr) });
    return result.stdout;
  };
  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secrets['apiKey']}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: Buffer.isBuffer(body) ? Uint8Array.from(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    outputs.push({ name: `the answer to ${method} ${path.split('?')[0]}`, bytes: Buffer.from(text) });
    return {
      status: response.status,
      json: (text === '' ? {} : JSON.parse(text)) as { id?: string; status?: string },
    };
  };
  const api = (method: string, path: string, body?: unknown) => call(method, `/acme/api/v1${path}`, body);
  const deliver = ({ headers, body }: SignedWebhook) =>
    call('POST', '/api/v1/webhook/tracker', body, headers);

  beforeAll(async () => {
    database = await open({ empty: true });
    remote = createRemote(hostRoot);
    gitHost = await startGitHttpServer({ root: hostRoot });
    gitHost.credentials = { username: 'x-access-token', password: secrets['gitToken'] ?? '' };
    env = environment();
    await run(['migrate']);
    await run(
      ['admin', 'create', '--email', 'ada@example.com', '--org', 'acme', '--password-stdin'],
      secrets['password'],
    );
    const key = await run([
      'admin',
      'key',
      'create',
      '--email',
      'ada@example.com',
      '--name',
      'test',
      '--json',
    ]);
    secrets['apiKey'] = (JSON.parse(key) as { apiKey: string }).apiKey;
    if (dialect === 'postgres') secrets['databasePassword'] = databaseUrl().password;
    service = start(['serve', '--port', '0', '--data-dir', dataDir], { env });
    const log = await service.line((text) => text.includes('"worker ready"'));
    baseUrl = /"baseUrl":"([^"]+)"/.exec(log)?.[1] ?? '';
  });

  afterAll(async () => {
    await service?.stop();
    await gitHost?.close();
  });

  function databaseUrl(): URL {
    return new URL(database.options.dialect === 'postgres' ? database.options.url : 'none:');
  }

  /** Returns an environment with every secret setting. */
  function environment(): Record<string, string> {
    const { options } = database;
    const values = settingNames.filter((name) => settings[name]?.secret && name in secrets);
    return {
      ...Object.fromEntries(values.map((name) => [name, secrets[name] ?? ''])),
      DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
      ...(options.dialect === 'postgres' ? { DATABASE_DIRECT_URL: options.url } : {}),
      OUTBOUND_ALLOW_HOSTS: `127.0.0.1:${gitHost.port}`,
      MODEL_PROVIDER: 'anthropic',
      MODEL_NAME: 'toy-model-1',
      MODEL_BASE_URL: 'http://127.0.0.1:1/v1',
      LOG_LEVEL: 'trace',
    };
  }

  async function useConnections(): Promise<void> {
    const tracker = (await api('POST', '/connections', { kind: 'tracker' })).json.id;
    const oncall = (await api('POST', '/connections', { kind: 'oncall' })).json.id;
    const app = { clientId: 'client', clientSecret: secrets['trackerClientSecret'] };
    for (const webhookSecret of [secrets['formerWebhookSecret'], secrets['trackerWebhookSecret']]) {
      expect((await api('PUT', `/connections/${tracker}/app`, { ...app, webhookSecret })).status).toBe(200);
    }
    const oncallApp = { clientId: 'client', clientSecret: secrets['oncallClientSecret'] };
    expect((await api('PUT', `/connections/${oncall}/app`, oncallApp)).status).toBe(200);
    const refused = secrets['refusedSecret'];
    const wrong = [
      { clientId: 7, clientSecret: refused },
      { clientId: 'x', clientSecret: `${refused}\n` },
      { clientId: 'x', clientSecret: refused, extra: refused },
      refused,
    ];
    for (const body of wrong)
      expect((await api('PUT', `/connections/${tracker}/app`, body)).status).toBe(400);
    expect(
      (await api('PUT', `/connections/${oncall}/app`, { ...oncallApp, webhookSecret: refused })).status,
    ).toBe(400);
    for (const path of ['/connections', `/connections/${tracker}`])
      expect((await api('GET', path)).status).toBe(200);
    await database.queries
      .updateTable('connections')
      .set({ state: 'connected', account_id: account, account: JSON.stringify({ id: account }) })
      .where('id', '=', tracker ?? '')
      .execute();
  }

  async function sendWebhooks(): Promise<void> {
    const secret = secrets['trackerWebhookSecret'] ?? '';
    const event = trackerEvent({ organizationId: account });
    expect((await deliver(signTracker(event, { secret }))).json).toMatchObject({ status: 'accepted' });
    const wrong = signTracker(event, { secret: secrets['formerWebhookSecret'] ?? '' });
    expect((await deliver(wrong)).status).toBe(401);
    const stale = trackerEvent({ organizationId: account, webhookTimestamp: 1 });
    expect((await deliver(signTracker(stale, { secret }))).status).toBe(401);
    const noEvent = Buffer.from(`{"organizationId":"${account}","webhookTimestamp":${Date.now()},"type":`);
    expect((await deliver(signTracker(noEvent, { secret }))).status).toBeGreaterThanOrEqual(400);
    const deploymentSecret = { secret: secrets['TRACKER_WEBHOOK_SECRET'] ?? '' };
    const foreign = trackerEvent({ organizationId: 'nobody' });
    expect((await deliver(signTracker(foreign, deploymentSecret))).json).toMatchObject({ status: 'ignored' });
  }

  async function misuseCredentials(): Promise<void> {
    const key = secrets['apiKey'] ?? '';
    const inUrl = `?access_token=${encodeURIComponent(key)}`;
    expect((await call('GET', `/acme/api/v1/repositories${inUrl}`)).status).toBe(400);
    expect((await call('POST', `/mcp${inUrl}`, {})).status).toBe(400);
    const refused = { authorization: `Bearer ${secrets['refusedSecret']}` };
    expect((await call('GET', '/acme/api/v1/repositories', undefined, refused)).status).toBe(401);
    const basic = Buffer.from(`x:${secrets['refusedSecret']}`).toString('base64');
    const asBasic = { authorization: `Basic ${basic}` };
    expect((await call('GET', '/acme/api/v1/repositories', undefined, asBasic)).status).toBe(401);
    const source = `https://ada:${encodeURIComponent(secrets['refusedSecret'] ?? '')}@git.example.com/a/b.git`;
    expect((await api('POST', '/repositories', { source })).status).toBe(400);
  }

  async function mirror(): Promise<void> {
    const keys = {
      authSecret: secrets['AUTH_SECRET'],
      connectionKey: secrets['CONNECTION_SECRETS_ENCRYPTION_KEY'],
      formerConnectionKeys: [secrets['CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS'] ?? ''],
    };
    const keyring = await openKeyring(database, keys, systemClock);
    const organization = await database.queries
      .selectFrom('organizations')
      .selectAll()
      .executeTakeFirstOrThrow();
    const scope = { organizationId: organization.id as OrganizationId, orgSlug: 'acme' };
    const githostConnectionId = newId<ConnectionId>();
    const url = `${gitHost.origin}/context.git`;
    const allowHosts = [`127.0.0.1:${gitHost.port}`];
    const repository = await addressedTarget(url, allowHosts);
    const connection = {
      id: githostConnectionId,
      organizationId: scope.organizationId,
      kind: 'gitea',
      name: 'Git host',
      state: 'connected',
      fields: { url: gitHost.origin },
      url: gitHost.origin,
      apiUrl: `${gitHost.origin}/api/v1`,
      installationId: undefined,
      account: undefined,
      error: undefined,
    } as const;
    await database.transaction((tx) => insertGithost(tx, connection, Date.now()));
    const queue = (path: string, token: string) =>
      database.transaction(async (tx) => {
        await saveSecret(
          tx,
          keyring,
          { connectionId: githostConnectionId, field: 'token' },
          token,
          Date.now(),
        );
        const target = await ensureTarget(
          tx,
          scope,
          { repository, branch: 'main', githostConnectionId },
          Date.now(),
        );
        const content = Buffer.from('# An issue\n');
        const change = { path, content, connectionId: githostConnectionId, origin: path };
        await queueChanges(tx, target.id, [change], ['tracker']);
      });
    await queue('tracker/one.md', secrets['gitToken'] ?? '');
    await vi.waitFor(() => expect(Object.keys(remote.files())).toContain('tracker/one.md'), 120_000);
    await vi.waitFor(async () => expect(await waitingCommits()).toEqual([]), 120_000);
    await queue('tracker/two.md', secrets['wrongGitToken'] ?? '');
    await vi.waitFor(async () => {
      const target = await database.queries
        .selectFrom('mirror_targets')
        .select('error')
        .executeTakeFirstOrThrow();
      expect(target.error).toContain('authentication');
    }, 120_000);
  }

  const waitingCommits = () =>
    database.queries.selectFrom('jobs').select('id').where('task', '=', 'mirror-commit').execute();

  async function inspect(): Promise<void> {
    for (const words of [
      ['config', 'show', '--json'],
      ['jobs', 'list', '--state', 'all', '--json'],
    ]) {
      const result = await orgctx([...words, '--data-dir', dataDir], { env });
      outputs.push({ name: `orgctx ${words.join(' ')}`, bytes: Buffer.from(result.stdout + result.stderr) });
    }
  }

  async function databasePlaces(): Promise<readonly Place[]> {
    const { options } = database;
    if (options.dialect === 'sqlite') return placesIn(join(options.file, '..'));
    const { username, password, hostname, port, pathname } = databaseUrl();
    const where = ['-h', hostname, '-p', port, '-U', username, '-d', pathname.slice(1)];
    const dump = execFileSync(await dumpProgram(), [...where, '--inserts'], {
      env: { ...process.env, PGPASSWORD: password },
      maxBuffer: 1024 ** 3,
    });
    return [{ name: 'the dump of the database', bytes: dump }];
  }

  /** Returns all output and stored data of the service. */
  async function allPlaces(commandLines: Place): Promise<readonly Place[]> {
    const { stdout, stderr } = service.output;
    return [
      ...outputs,
      commandLines,
      { name: 'the log', bytes: Buffer.from(stdout) },
      { name: 'stderr', bytes: Buffer.from(stderr) },
      ...(await databasePlaces()),
      ...(await placesIn(dataDir)),
      ...(await placesIn(hostRoot)),
    ];
  }

  it('is in no database, log, process list, repository, file or response of the service', async () => {
    const watch = watchCommandLines();
    await useConnections();
    await sendWebhooks();
    await misuseCredentials();
    await mirror();
    await inspect();
    const whileRunning = await databasePlaces();
    const commandLines = await watch.stop();
    await service.stop();
    const places = [...(await allPlaces(commandLines)), ...whileRunning];
    expect(hunt(places, secrets)).toEqual([]);

    // Checks that the search covers the right places: it finds text that is not secret.
    const traces: HuntedSecrets = { account, commit: remote.history()[0]?.id ?? 'none' };
    const names = hunt(places, traces).join('\n');
    expect(names).toMatch(/account as plain text in .*(orgctx\.db|dump)/);
    expect(names).toMatch(/commit as plain text in .*mirror/);
    const words = ['serve --port 0', 'git push --porcelain', 'git-remote-http'];
    expect(words.filter((word) => !commandLines.bytes.includes(word))).toEqual([]);
    expect(service.output.stdout).toContain('"job done"');
  });

  it('is found wherever it is planted', async () => {
    const secret = secrets['gitToken'] ?? '';
    const planted = join(dataDir, 'planted');
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('hex'),
      ...['', 'x', 'xy', 'user:'].map((before) => Buffer.from(before + secret).toString('base64')),
    ];
    for (const form of forms) {
      writeFileSync(planted, `before ${form} after`);
      expect(hunt(await placesIn(dataDir), { secret })).toContainEqual(expect.stringContaining(planted));
    }
    writeFileSync(planted, '');
    remote.commitByHand({ 'oops.md': secret });
    expect(hunt(await placesIn(hostRoot), { secret })).toContainEqual(expect.stringContaining('objects of'));
    await database.queries.updateTable('organizations').set({ name: secret }).execute();
    expect(hunt(await databasePlaces(), { secret })).not.toEqual([]);
    const watch = watchCommandLines();
    const child = spawn('sleep', ['60'], { argv0: `sleep ${secret}` });
    await expect.poll(() => watch.hasSeen(secret)).toBe(true);
    child.kill('SIGKILL');
    expect(hunt([await watch.stop()], { secret })).toContainEqual(expect.stringContaining('process list'));
  });
});
