import { expect, it } from 'vitest';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import {
  mirrorDeps,
  presentTarget,
  queueFiles,
  runCommit,
  runCommitNow,
  targetFor,
} from '../../support/mirror/mirroring.ts';

describeEachDatabase('mirroring with an unreliable clock', (open) => {
  it('commits at once when the clock was set back after the last commit or its failure', async () => {
    const database = await open();
    const remote = createRemote();
    remote.commitByHand({ 'README.md': 'by hand' });
    const target = await targetFor(database, await seedOrganization(database, 'acme'), remote.folder);
    const deps = mirrorDeps(database);
    await queueFiles(database, target.id, { 'tracker/a.md': 'first' });
    await runCommit(deps, target.id);
    const ahead = Date.now() + 3_600_000;
    await database.queries
      .updateTable('mirror_targets')
      .set({
        committed_at: ahead,
        error: JSON.stringify({
          code: 'git_archived',
          message: 'Archived.',
          permanent: true,
          at: ahead,
          failures: 1,
          retryAt: ahead + 60_000,
        }),
      })
      .execute();
    await database.queries.deleteFrom('jobs').execute();
    await queueFiles(database, target.id, { 'tracker/a.md': 'second' });
    const [job] = await database.queries.selectFrom('jobs').select('run_at').execute();
    expect(job?.run_at).toBeLessThan(Date.now() + 60_000);
    await runCommitNow(deps, { targetId: target.id });
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'second' });
    expect((await presentTarget(database, target.id)).committedAt).toBeLessThan(ahead);
  });
});
