import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openCurrentDatabase } from '../../src/app/open/open-database.ts';
import { openGithosts } from '../../src/app/open/open-githosts.ts';
import { openSecrets } from '../../src/app/open/open-secrets.ts';
import { startWorker } from '../../src/app/processes/worker.ts';
import { addGithost } from '../../src/features/githosts/add-githost.ts';
import { toGithostRecord } from '../../src/features/githosts/githost-record.ts';
import { ensureSshKey, withSshKeyFile } from '../../src/features/githosts/ssh-key.ts';
import { ensureTarget } from '../../src/features/mirror/mirror-target-store.ts';
import { requireRepository } from '../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../src/features/repositories/setup/add-repository.ts';
import { loadConfig } from '../../src/foundation/config/load-config.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { dataFolder } from '../../src/foundation/kernel/data-folder.ts';
import { startGithost } from '../standins/githost/githost.ts';
import { seedOrganization } from '../support/codesearch/seeded-repositories.ts';
import { memoryLog } from '../support/memory-log.ts';
import { addressedTarget } from '../support/mirror/addressed-target.ts';
import { queueFiles } from '../support/mirror/mirroring.ts';
import { hunt, type Place } from '../support/program/secret-hunt.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

const actor = { kind: 'host' } as const;
const { signal } = new AbortController();

async function openService(allowed: string) {
  const dataDir = temporaryFolder();
  const env = { DATA_DIR: dataDir, OUTBOUND_ALLOW_HOSTS: allowed };
  const settings = loadConfig({ env, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  open.push(() => database.close());
  const keyring = await openSecrets(settings, database);
  const { githosts, close } = openGithosts(settings, { database, keyring });
  open.push(close);
  return { dataDir, settings, database, keyring, githosts };
}

it('a worker clones and pushes with the token of a Git-host connection, which stands nowhere else', async () => {
  const token = 'gto_hushed-token-0123456789';
  const host = await startGithost({ flavour: 'gitea' });
  open.push(() => host.close());
  host.addUser('bot', token);
  const hosted = host.addRepository('bot/app', { private: true });
  hosted.access.set('bot', 'admin');
  const first = host.commit(hosted, { 'a.txt': 'a' });
  const allowed = new URL(host.origin).host;
  const { dataDir, settings, database, githosts } = await openService(allowed);
  const [acme, globex] = [
    await seedOrganization(database, 'acme'),
    await seedOrganization(database, 'globex'),
  ];
  const connection = await addGithost(
    githosts,
    acme,
    actor,
    { kind: 'gitea', fields: { url: host.origin, token } },
    signal,
  );
  const adding = {
    database,
    clock: systemClock,
    allowLocal: false,
    allowHosts: [allowed],
    dataDir,
    githosts,
  };
  const source = { source: 'bot/app', githostConnectionId: connection.id };
  await expect(addRepository(adding, globex, actor, source)).rejects.toMatchObject({
    errors: [{ path: '/githostConnectionId' }],
  });
  const { id } = await addRepository(adding, acme, actor, source);
  const bare = { source: `${host.origin}/bot/app.git` };
  const { id: foreign } = await addRepository(adding, globex, actor, bare);
  const repository = await addressedTarget(`${host.origin}/bot/app.git`, [allowed]);
  const wanted = { repository, branch: 'main', githostConnectionId: connection.id };
  const target = await database.transaction((tx) => ensureTarget(tx, acme, wanted, 0));

  const memory = memoryLog();
  const worker = await startWorker(settings, memory.log, { reconcileMs: 200 });
  open.push(() => worker.stop(1_000));
  const row = () => requireRepository(database.queries, acme, id);
  await expect.poll(row).toMatchObject({ state: 'indexed', indexedCommit: first, name: 'bot/app' });
  await expect
    .poll(() => requireRepository(database.queries, globex, foreign))
    .toMatchObject({ state: 'failed' });
  await queueFiles(database, target.id, { 'tracker/a.md': 'mirrored' });
  await expect
    .poll(() => host.model.repositories.get(hosted.id)?.bare.branches().get('main'))
    .not.toBe(first);
  // Its files no longer change while they are read.
  await worker.stop(10_000);

  const tables = [
    'githost_connections',
    'connection_secrets',
    'repositories',
    'jobs',
    'audit_events',
  ] as const;
  const rows = await Promise.all(
    tables.map((table) => database.queries.selectFrom(table).selectAll().execute()),
  );
  const places: Place[] = [
    { name: 'rows', bytes: Buffer.from(JSON.stringify(rows)) },
    { name: 'log', bytes: Buffer.from(JSON.stringify(memory.lines)) },
    { name: 'answer', bytes: Buffer.from(JSON.stringify(toGithostRecord(connection))) },
    ...readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) })),
  ];
  expect(hunt(places, { token })).toEqual([]);
});

it('the private SSH key of an organization is in a file of its own only while Git runs', async () => {
  const { dataDir, database, keyring, githosts } = await openService('git.example.com');
  const [acme, globex] = [
    await seedOrganization(database, 'acme'),
    await seedOrganization(database, 'globex'),
  ];
  await ensureSshKey(githosts, acme, actor);
  const deps = { queries: database.queries, keyring, dataDir };
  let used = '';
  await withSshKeyFile(deps, acme, async (file = '') => {
    used = file;
    expect(readFileSync(file, 'utf8')).toContain('OPENSSH PRIVATE KEY');
  });
  expect([used.startsWith(dataFolder(dataDir).ssh.folder), existsSync(used)]).toEqual([true, false]);
  await withSshKeyFile(deps, globex, async (file) => expect(file).toBeUndefined());
  await expect(withSshKeyFile(deps, acme, () => Promise.reject(new Error('Git failed')))).rejects.toThrow(
    'Git failed',
  );
  expect(readdirSync(dataFolder(dataDir).ssh.folder)).toEqual([]);
});
