import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startGitHttpServer } from '../../test/standins/git-http-server.ts';
import { memoryLog } from '../../test/support/memory-log.ts';
import { createRemote } from '../../test/support/mirror-remote.ts';
import { presentTarget, queueFiles } from '../../test/support/mirroring.ts';
import { seedOrganization } from '../../test/support/seeded-repositories.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ensureTarget } from '../features/mirror/mirror-target-store.ts';
import { readTargetRepository } from '../features/mirror/target-repository.ts';
import { loadConfig } from '../foundation/config/load-config.ts';
import { type ConnectionId, newId } from '../foundation/kernel/ids.ts';
import { saveSecret } from '../foundation/secrets/secret-store.ts';
import { openCurrentDatabase } from './open-database.ts';
import { openSecrets } from './open-secrets.ts';
import { startWorker } from './worker.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

it('a worker pushes with the token saved on the Git-host connection, read anew each time, and keeps it to itself', async () => {
  const [root, dataDir] = [temporaryFolder(), temporaryFolder()];
  const host = await startGitHttpServer({ root });
  open.push(() => host.close());
  const remote = createRemote(root);
  const allowed = `127.0.0.1:${host.port}`;
  const env = { DATA_DIR: dataDir, OUTBOUND_ALLOW_HOSTS: allowed };
  const settings = loadConfig({ env, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  open.push(() => database.close());
  const scope = await seedOrganization(database, 'acme');
  const connectionId = newId<ConnectionId>();
  const rules = { allowLocal: false, allowHosts: [allowed], dataDir };
  const repository = await readTargetRepository(`${host.origin}/context.git`, rules);
  const wanted = { repository, branch: 'main', githostConnectionId: connectionId };
  const target = await database.transaction((tx) => ensureTarget(tx, scope, wanted, 0));
  const keyring = await openSecrets(settings, database);
  const save = (token: string): Promise<void> => {
    host.credentials = { username: 'x-access-token', password: token };
    return saveSecret(database.queries, keyring, { connectionId, field: 'token' }, token, 0);
  };
  const error = async () => (await presentTarget(database, target.id)).error;
  const memory = memoryLog();
  const worker = await startWorker(settings, memory.log, { tendMs: 200 });
  open.push(() => worker.stop(1_000));

  await queueFiles(database, target.id, { 'tracker/a.md': 'a' });
  await expect
    .poll(error, { timeout: 10_000 })
    .toMatchObject({ code: 'git_authentication', permanent: true });

  for (const [token, text] of [
    ['first-hushed-token', '1'],
    ['second-hushed-token', '2'],
  ] as const) {
    await save(token);
    await queueFiles(database, target.id, { 'tracker/a.md': text });
    await database.transaction((tx) => tx.updateTable('jobs').set({ run_at: 0 }).execute());
    await expect.poll(() => remote.files(), { timeout: 10_000 }).toEqual({ 'tracker/a.md': text });
    await expect.poll(error).toBeUndefined();
  }

  expect(JSON.stringify(memory.lines)).not.toContain('hushed');
  for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    expect(readFileSync(join(file.parentPath, file.name)).includes('hushed'), file.name).toBe(false);
  }
});
