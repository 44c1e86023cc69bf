import { expect, it } from 'vitest';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import { mirrorDeps, queueFiles, runCommit, targetFor } from '../../support/mirror/mirroring.ts';

describeEachDatabase('edits and backfills in one mirror', (open) => {
  it('commits edits before a backfill, and those that arrive meanwhile between two of its commits', async () => {
    const database = await open();
    const scope = await seedOrganization(database, 'acme');
    const remote = createRemote();
    remote.commitByHand({ 'README.md': 'by hand' });
    const target = await targetFor(database, scope, remote.folder);
    const many = Array.from({ length: 4_001 }, (_, index) => [`tracker/backfill/${index}.md`, 'x'] as const);
    await queueFiles(database, target.id, Object.fromEntries(many), 'a backfill', 'backfill');
    await queueFiles(database, target.id, { 'tracker/z.md': 'early' }, 'issue early');
    let isLate = false;
    const assertHeld = async (queries: Queries): Promise<void> => {
      if (isLate || queries !== database.queries || remote.history().length < 3) return;
      isLate = true;
      await queueFiles(database, target.id, { 'tracker/z.md': 'late' }, 'issue late');
    };
    await runCommit(mirrorDeps(database), target.id, { assertHeld });
    const subjects = remote.history().map(({ message }) => message.split('\n')[0]);
    expect(subjects).toEqual([
      'Mirror a backfill',
      'Mirror issue late',
      'Mirror a backfill',
      'Mirror a backfill',
      'Mirror issue early',
      'By hand',
    ]);
  });
});
