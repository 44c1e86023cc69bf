import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { startGitHttpServer } from '../../../test/standins/git-http-server.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { memoryLog } from '../../../test/support/memory-log.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { repositoryFolder } from '../../backends/codesearch/embedded/format/repository-folder.ts';
import { admitUser } from '../../features/identity/people/admit-user.ts';
import { getRepository } from '../../features/repositories/repository-store.ts';
import { addRepository } from '../../features/repositories/setup/add-repository.ts';
import { syncRepository } from '../../features/repositories/sync-repository.ts';
import { type CodeSearchPage, searchCode } from '../../features/search/search-code.ts';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { systemClock as clock } from '../../foundation/kernel/clock.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { openAnswers } from '../open/open-answers.ts';
import { openCurrentDatabase } from '../open/open-database.ts';
import { startWorker, type WorkerOptions } from './worker.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

it('a worker rebuilds an index that a search found damaged, and searches report the damage meanwhile', async () => {
  const dataDir = temporaryFolder();
  const settings = loadConfig({ env: { DATA_DIR: dataDir }, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  open.push(() => database.close());
  const { organization } = await admitUser(
    { database, clock },
    { email: 'ada@example.com', orgSlug: 'acme' },
  );
  const scope = { organizationId: organization.id, orgSlug: 'acme' };
  const { folder: source } = createRepository({ 'a.ts': 'const needle = 1;\n' });
  const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
  const { id } = await addRepository(deps, scope, { kind: 'host' }, { source });

  const worker = await startWorker(settings, silentLog, { reconcileMs: 200 });
  open.push(() => worker.stop(1_000));
  const memory = memoryLog();
  const answers = openAnswers(settings, database, memory.log);
  open.push(() => answers.close());
  const search = (): Promise<CodeSearchPage> =>
    searchCode(answers, scope, { q: 'needle' }, new AbortController().signal);
  const generation = async () => (await getRepository(database.queries, scope, id))?.indexGeneration;
  await expect.poll(generation).toBe(1);

  const folder = repositoryFolder(dataFolder(dataDir).codesearch, scope.organizationId, id);
  // Until the definitions are written, the job itself finds the damage.
  await expect.poll(() => readdirSync(folder).some((name) => name.includes('.sym'))).toBe(true);
  const segment = join(folder, readdirSync(folder).find((name) => name.endsWith('.seg')) ?? '');
  writeFileSync(segment, readFileSync(segment).fill(0x43, 4096, 4097));
  expect(await search()).toMatchObject({ items: [], incomplete: 'damaged' });
  await search();
  expect(memory.lines).toEqual([expect.objectContaining({ level: 50, organizationId: organization.id })]);

  await expect.poll(generation).toBe(2);
  await expect.poll(async () => (await search()).items).toHaveLength(1);
  expect((await search()).incomplete).toBeUndefined();
});

it('a worker that fails to start closes its database', async () => {
  const dataDir = temporaryFolder();
  const settings = loadConfig({ env: { DATA_DIR: dataDir }, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  await sql`alter table mirror_changes rename to mirror_changes_gone`.execute(database.queries);
  await database.close();

  await expect(startWorker(settings, silentLog)).rejects.toThrow('mirror_changes');
  // SQLite deletes the write-ahead log with the last connection.
  expect(readdirSync(dataDir).filter((name) => name.endsWith('.db'))).toHaveLength(2);
  expect(readdirSync(dataDir).filter((name) => name.endsWith('-wal'))).toEqual([]);
});

it('a worker makes a push searchable while three clones never end', async () => {
  const silent = await startGitHttpServer({ root: temporaryFolder() });
  silent.behaviour = { kind: 'silent' };
  open.push(() => silent.close());
  const { deps, scope, state, pushIsSearchable } = await startWithOneRepository(silent.port);
  const endless = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      addRepository(deps, scope, { kind: 'host' }, { source: `${silent.origin}/${name}.git`, name }),
    ),
  );
  const states = () => Promise.all(endless.map((each) => state(each.id)));
  await expect.poll(states).toEqual(['cloning', 'cloning', 'cloning']);

  await pushIsSearchable();
  expect(await states()).toEqual(['cloning', 'cloning', 'cloning']);
});

it('a worker makes a push searchable while three fetches never end', async () => {
  const root = temporaryFolder();
  const host = await startGitHttpServer({ root });
  open.push(() => host.close());
  const { deps, scope, state, pushIsSearchable } = await startWithOneRepository(host.port, {
    fetchMs: 10_000,
  });
  const names = ['a', 'b', 'c'];
  const code = createRepository({ 'a.txt': 'a' });
  for (const name of names) code.git('clone', '--quiet', '--bare', '.', join(root, `${name}.git`));
  const added = await Promise.all(
    names.map((name) =>
      addRepository(deps, scope, { kind: 'host' }, { source: `${host.origin}/${name}.git`, name }),
    ),
  );
  const states = () => Promise.all(added.map((each) => state(each.id)));
  await expect.poll(states).toEqual(['indexed', 'indexed', 'indexed']);

  host.behaviour = { kind: 'silent' };
  for (const { id } of added) await syncRepository(deps, scope, { kind: 'host' }, id);
  await expect.poll(states).toEqual(['cloning', 'cloning', 'cloning']);
  await pushIsSearchable();
});

/** Starts a worker and waits until it indexed a repository. `port` is the one of a Git host on this machine. */
async function startWithOneRepository(port: number, options: WorkerOptions = {}) {
  const allowHosts = [`127.0.0.1:${port}`];
  const dataDir = temporaryFolder();
  const env = { DATA_DIR: dataDir, OUTBOUND_ALLOW_HOSTS: allowHosts.join() };
  const settings = loadConfig({ env, cwd: dataDir, homeDir: dataDir });
  const database = await openCurrentDatabase(settings, 'command', silentLog, { create: true });
  open.push(() => database.close());
  const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
  const scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
  const source = createRepository({ 'a.ts': 'const before = 1;\n' });
  const deps = { database, clock, allowLocal: true, allowHosts, dataDir };
  const worker = await startWorker(settings, silentLog, { reconcileMs: 60_000, ...options });
  open.push(() => worker.stop(0));
  const { id } = await addRepository(deps, scope, { kind: 'host' }, { source: source.folder });
  const state = async (of: RepositoryId) => (await getRepository(database.queries, scope, of))?.state;
  await expect.poll(() => state(id)).toBe('indexed');

  const pushIsSearchable = async (): Promise<void> => {
    source.commit({ 'a.ts': 'const afterwards = 1;\n' });
    await syncRepository(deps, scope, { kind: 'host' }, id);
    const answers = openAnswers(settings, database, silentLog);
    open.push(() => answers.close());
    const hits = async () =>
      (await searchCode(answers, scope, { q: 'afterwards' }, new AbortController().signal)).items;
    await expect.poll(hits).toHaveLength(1);
  };
  return { deps, scope, state, pushIsSearchable };
}
