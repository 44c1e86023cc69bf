import { expect, it } from 'vitest';
import { seedOrganization } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { connectionId, queueFiles, targetFor } from '../../../test/support/mirror/mirroring.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { beginRebuild, forgetFiles } from './file-store.ts';
import { changeTarget, mirrorStatus } from './mirror-target-store.ts';

describeEachDatabase('the status of mirroring', (open) => {
  it('counts pending changes, returns their age and lists targets that refuse commits', async () => {
    const database = await open();
    const scope = await seedOrganization(database, 'acme');
    const read = () => mirrorStatus(database.queries, systemClock);
    expect(await read()).toEqual({ waiting: 0, bytes: 0, oldestMs: 0, refused: [] });
    const target = await targetFor(database, scope, 'https://git.example.com/acme/context');
    await queueFiles(database, target.id, { 'tracker/a.md': 'abc', 'tracker/b.md': null });
    const before = (await database.queries.selectFrom('mirror_changes').select('created_at').execute())[0];
    await database.queries
      .updateTable('mirror_changes')
      .set({ created_at: (before?.created_at ?? 0) - 5_000 })
      .execute();
    await queueFiles(database, target.id, { 'tracker/a.md': 'again' });
    const error = { code: 'git_archived', message: 'archived', permanent: true, at: 1, failures: 1 };
    await changeTarget(database.queries, target.id, { error: JSON.stringify(error) });
    const status = await read();
    expect(status).toMatchObject({ waiting: 2, bytes: 5, refused: [{ id: target.id, error }] });
    expect(status.oldestMs).toBeGreaterThanOrEqual(5_000);
  });

  it('has no age of a file that waits for the end of a rebuild', async () => {
    const database = await open();
    const { queries } = database;
    const target = await targetFor(database, await seedOrganization(database, 'acme'), 'https://a.example/b');
    await beginRebuild(queries, target.id, connectionId);
    await queueFiles(database, target.id, { 'tracker/a.md': 'abc' }, 'all', 'rebuild');
    await queries.updateTable('mirror_changes').set({ created_at: 0 }).execute();
    expect(await mirrorStatus(queries, systemClock)).toMatchObject({ waiting: 1, oldestMs: 0 });
    await forgetFiles(queries, connectionId);
    expect((await mirrorStatus(queries, systemClock)).oldestMs).toBeGreaterThan(5_000);
  });
});
