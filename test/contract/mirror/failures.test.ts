import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { killAtEachWrite } from '../../support/kill/run-killed.ts';
import { copyRemote, createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import {
  mirrorDeps,
  mirrorWorker,
  queueFiles,
  resetCommitDelay,
  targetFor,
  waitingPaths,
} from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../support/mirror/mirror-program.ts');

/** The second run finds a local copy to update, and a commit by another author in between. */
const first = { 'tracker/a.md': 'a', 'tracker/b.md': 'b' };
const later = { 'tracker/a.md': 'later', 'tracker/b.md': null, 'oncall/d.md': 'd' };
const afterFirst = { 'README.md': 'by hand', ...first };
const { 'tracker/b.md': _deleted, ...kept } = first;
const afterLater = { 'README.md': 'by hand', ...kept, 'tracker/a.md': 'later', 'oncall/d.md': 'd' };

interface State {
  readonly remote: MirrorRemote;
  readonly dataDir: string;
}

describeEachDatabase('a mirroring worker killed between any two writes', (open) => {
  it('leaves every change to the next one, which writes the latest content once', async () => {
    const database = await open();
    const scope = await seedOrganization(database, 'acme');
    const start = createRemote();
    start.commitByHand({ 'README.md': 'by hand' });
    const writes = await killAtEachWrite(
      () => prepare(database, scope, copyRemote(start)),
      async ({ remote, dataDir }, { stdout }) => {
        await skipWaits(database);
        await drain(database, dataDir);
        // When it was killed between the commit and the row that records it, the changes may also be there.
        const expected =
          stdout.includes('queued') || 'oncall/d.md' in remote.files() ? afterLater : afterFirst;
        expect(remote.files()).toEqual(expected);
        expect(remote.history().every(({ parents }) => parents.length <= 1)).toBe(true);
        expect(remote.history().length).toBeLessThanOrEqual(3);
        expect(await waitingPaths(database)).toEqual([]);
        remote.git('fsck', '--strict');
      },
    );
    expect(writes).toBeGreaterThan(40);
  });
});

async function prepare(database: TestDatabase, scope: OrgScope, remote: MirrorRemote) {
  await database.queries.deleteFrom('jobs').execute();
  await database.queries.deleteFrom('lanes').execute();
  await database.queries.deleteFrom('mirror_targets').execute();
  const target = await targetFor(database, scope, remote.folder);
  await queueFiles(database, target.id, first);
  const dataDir = temporaryFolder();
  return {
    state: { remote, dataDir } satisfies State,
    program: [program, JSON.stringify(database.options), dataDir, target.id, JSON.stringify(later)],
  };
}

/** Takes back the job of the killed worker, and advances past the interval between two commits. */
async function skipWaits(database: TestDatabase): Promise<void> {
  await database.queries.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
  await database.queries.updateTable('lanes').set({ lease_until: 0 }).execute();
  await reapExpiredLeases(database, systemClock);
  await database.queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
  await resetCommitDelay(database);
}

async function drain(database: TestDatabase, dataDir: string): Promise<void> {
  const worker = mirrorWorker(mirrorDeps(database, { git: { dataDir, allowHosts: [] } }), {
    leaseMs: 10_000,
  });
  worker.start();
  try {
    await vi.waitFor(
      async () => expect(await database.queries.selectFrom('jobs').select('id').execute()).toEqual([]),
      { timeout: 120_000, interval: 10 },
    );
  } finally {
    await worker.stop(5_000);
  }
}
