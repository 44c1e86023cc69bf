import { expect, it } from 'vitest';
import { requireConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import { restoreFiles } from '../../../src/features/connectors/entities/restore-files.ts';
import { readHealth } from '../../../src/features/connectors/health/connection-health.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { rebuildConnection } from '../../../src/features/connectors/setup/sync-connection.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { runReadyJobs } from '../../support/jobs/run-ready-jobs.ts';
import { mirrorDeps, runCommit, waitingPaths } from '../../support/mirror/mirroring.ts';
import type { SyncedTracker } from '../../support/tracker/synced-tracker.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, mirrored } = useSyncService();

const own = { 'tracker/notes.md': 'theirs' };

async function countsOf({ id }: SyncedTracker) {
  const { database, scope } = opened().service;
  const connection = await requireConnection(database.queries, scope, id);
  return (await readHealth(database.queries, [connection])).get(id)?.counts;
}

const recordsIn = (files: Readonly<Record<string, string>>) =>
  Object.keys(files).filter((path) => path.endsWith('.md') && !(path in own));

it('files that a branch has lost are counted as such, and fetched again', async () => {
  const { database } = opened().service;
  const synced = await mirrored();
  const before = await synced.files();
  const records = recordsIn(before).length;
  expect(await countsOf(synced)).toMatchObject({ mirrored: records, pending: 0 });

  const lost = Object.keys(before).filter((_path, index) => index % 2 === 0);
  synced.remote.commitByHand({ ...own, ...Object.fromEntries(lost.map((path) => [path, null])) });
  const deps = mirrorDeps(database, {
    restore: (tx, target, files) => restoreFiles(tx, connectors, target, files),
  });
  await runCommit(deps, synced.targetId);
  const counts = await countsOf(synced);
  expect(counts?.mirrored).toBeLessThan(records);
  expect(counts?.pending).toBeGreaterThan(0);
  const ran = await synced.run();
  expect(ran).toContain('tracker-sync-incremental');
  expect(ran).not.toContain('tracker-sync-content');
  expect(await synced.files()).toEqual({ ...before, ...own });
  expect(await countsOf(synced)).toMatchObject({ mirrored: records, pending: 0 });
});

it('files that a branch has lost are fetched before a comparison goes on', async () => {
  const { database } = opened().service;
  const synced = await mirrored();
  const before = await synced.files();
  await synced.request({ full: true });
  const lost = Object.fromEntries(Object.keys(before).map((path) => [path, null]));
  synced.remote.commitByHand({ ...own, ...lost });
  const deps = mirrorDeps(database, {
    restore: (tx, target, files) => restoreFiles(tx, connectors, target, files),
  });
  await runCommit(deps, synced.targetId);
  const ran = await synced.run();
  expect(ran.lastIndexOf('tracker-sync-incremental')).toBeLessThan(ran.indexOf('tracker-sync-content'));
  expect(await synced.files()).toEqual({ ...before, ...own });
});

it('a rebuild reads everything from the provider and makes one commit', async () => {
  const { service, example, tracker } = opened();
  const { database, scope } = service;
  const synced = await mirrored();
  const before = await synced.files();
  // The database and the branch are wrong, and nothing tells.
  const wrong = Object.keys(before).filter((path) => path.startsWith('tracker/issues/'));
  synced.remote.commitByHand({ ...own, ...Object.fromEntries(wrong.map((path) => [path, 'wrong'])) });
  await database.queries
    .updateTable('mirror_targets')
    .set({ compared: null })
    .where('id', '=', synced.targetId)
    .execute();
  await database.queries.deleteFrom('mirror_files').where('target_id', '=', synced.targetId).execute();
  tracker.webhooks.held = true;
  tracker.workspace.update(example.issue, { title: 'Changed without an event' });

  const setup = { database, connectors, clock: systemClock };
  await rebuildConnection(setup, scope, { kind: 'host' }, synced.id);
  const commits = synced.remote.history().length;
  await runReadyJobs(database, synced.handlers);
  expect((await waitingPaths(database)).length).toBeGreaterThan(wrong.length);
  const files = await synced.files();
  expect(synced.remote.history()).toHaveLength(commits + 1);
  expect(await waitingPaths(database)).toEqual([]);
  const fresh = await mirrored();
  expect(files).toEqual({ ...(await fresh.files()), ...own });
  expect(await database.queries.selectFrom('mirror_rebuilds').selectAll().execute()).toEqual([]);
  expect(await countsOf(synced)).toMatchObject({ mirrored: recordsIn(files).length, pending: 0 });

  // Another one finds nothing to write.
  await rebuildConnection(setup, scope, { kind: 'host' }, synced.id);
  await runReadyJobs(database, synced.handlers);
  await synced.files();
  expect(synced.remote.history()).toHaveLength(commits + 1);
});
