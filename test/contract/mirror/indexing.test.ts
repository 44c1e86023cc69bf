import { expect, it } from 'vitest';
import { syncPushed } from '../../../src/features/repositories/following/sync-changed.ts';
import { seedOrganization, seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import { mirrorDeps, queueFiles, runCommit, targetFor } from '../../support/mirror/mirroring.ts';

describeEachDatabase('a commit of the mirror', (open) => {
  it('starts the update of the repositories of its organization that follow the branch, and of no other', async () => {
    const database = await open();
    const [acme, globex] = [
      await seedOrganization(database, 'acme'),
      await seedOrganization(database, 'globex'),
    ];
    const remote = createRemote();
    remote.commitByHand({ 'README.md': 'by hand' });
    const target = await targetFor(database, acme, remote.folder);
    const indexed = { source: remote.folder, indexedCommit: 'a'.repeat(40) };
    const id = await seedRepository(database, acme, {
      name: 'context',
      ...indexed,
      indexedBranches: ['main'],
    });
    await seedRepository(database, globex, { name: 'same', ...indexed, indexedBranches: ['main'] });
    await seedRepository(database, acme, {
      name: 'other',
      indexedCommit: indexed.indexedCommit,
      indexedBranches: ['main'],
    });
    const deps = mirrorDeps(database, {
      pushed: async (tx, { organizationId, source, branch }) =>
        void (await syncPushed(tx, { organizationId, source, branch }, Date.now())),
    });
    const jobs = () =>
      database.queries
        .selectFrom('jobs')
        .select(['task', 'key'])
        .where('task', 'like', 'repository-%')
        .execute();
    await queueFiles(database, target.id, { 'tracker/issues/ENG/ENG-1.md': 'one' });
    await runCommit(deps, target.id);
    expect(await jobs()).toEqual([{ task: 'repository-fetch', key: id }]);
    await database.queries.deleteFrom('jobs').execute();
    await queueFiles(database, target.id, { 'tracker/issues/ENG/ENG-1.md': 'one' });
    await runCommit(deps, target.id);
    expect(await jobs()).toEqual([]);
    await database.queries
      .updateTable('repositories')
      .set({ indexed_branches: '[{"name":"trunk","commit":"a"}]' })
      .execute();
    await queueFiles(database, target.id, { 'tracker/issues/ENG/ENG-1.md': 'two' });
    await runCommit(deps, target.id);
    expect(await jobs()).toEqual([]);
  });
});
