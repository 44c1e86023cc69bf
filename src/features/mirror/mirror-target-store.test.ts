import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../test/support/databases.ts';
import { seedOrganization } from '../../../test/support/seeded-repositories.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { queueChanges } from './change-store.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { ensureTarget, findTarget, recordError, removeTarget } from './mirror-target-store.ts';
import { readTargetRepository } from './target-repository.ts';

describeEachDatabase('a mirror target', (open) => {
  let database: Database;
  let acme: OrgScope;
  let globex: OrgScope;

  beforeEach(async () => {
    database = await open();
    acme = await seedOrganization(database, 'acme');
    globex = await seedOrganization(database, 'globex');
  });

  const ensure = async (
    scope: OrgScope,
    url = 'https://git.example.com/acme/context',
    branch = 'main',
    connection?: string,
  ): Promise<MirrorTarget> => {
    const rules = { allowLocal: false, allowHosts: [], dataDir: temporaryFolder() };
    const repository = await readTargetRepository(url, rules);
    const githostConnectionId = connection as ConnectionId | undefined;
    return database.transaction((tx) =>
      ensureTarget(tx, scope, { repository, branch, githostConnectionId }, 5),
    );
  };
  const jobs = async (): Promise<number> =>
    (await database.queries.selectFrom('jobs').select('id').execute()).length;

  it('is one for each repository and branch, however often it is asked for', async () => {
    const first = await ensure(acme);
    expect(await ensure(acme)).toEqual(first);
    expect(first).toMatchObject({
      source: 'https://git.example.com/acme/context',
      branch: 'main',
      head: undefined,
      error: undefined,
    });
    expect((await ensure(acme, undefined, 'other')).id).not.toBe(first.id);
    expect((await ensure(acme, 'https://git.example.com/acme/other')).id).not.toBe(first.id);
  });

  it('is one for concurrent first requests, too', async () => {
    const targets = await Promise.all([ensure(acme), ensure(acme), ensure(acme)]);
    expect(new Set(targets.map(({ id }) => id)).size).toBe(1);
  });

  it('belongs to one organization: another one is told that it is taken, however it spells the address', async () => {
    const target = await ensure(acme);
    for (const url of [
      'https://git.example.com/acme/context',
      'https://git.example.com/Acme/context.git',
      'git@git.example.com:acme/./context.git',
    ]) {
      await expect(ensure(globex, url)).rejects.toMatchObject({ status: 409, code: 'target_taken' });
    }
    expect((await findTarget(database.queries, target.id))?.organizationId).toBe(acme.organizationId);
    expect((await ensure(globex, undefined, 'globex')).organizationId).toBe(globex.organizationId);
  });

  it('takes another address or connection of its organization, and tries again what it could not push', async () => {
    const target = await ensure(acme);
    const error = { code: 'git_push_forbidden', message: 'no', permanent: true, at: 1 };
    await recordError(database.queries, target.id, error);
    expect((await findTarget(database.queries, target.id))?.error).toEqual(error);
    expect(await jobs()).toBe(0);
    const again = await ensure(acme, 'git@git.example.com:acme/context.git', 'main', 'connection-2');
    expect(again).toEqual({
      ...target,
      source: 'git@git.example.com:acme/context.git',
      githostConnectionId: 'connection-2',
      error: undefined,
    });
    expect(await findTarget(database.queries, target.id)).toEqual(again);
    expect(await jobs()).toBe(1);
  });

  it('is removed by its own organization only, with what waits for it', async () => {
    const target = await ensure(acme);
    const change = {
      path: 'tracker/a.md',
      content: Buffer.from('a'),
      connectionId: 'c' as ConnectionId,
      origin: 'issue A-1',
    };
    await database.transaction((tx) => queueChanges(tx, target.id, [change]));
    await removeTarget(database.queries, globex, target.id);
    expect(await findTarget(database.queries, target.id)).toEqual(target);
    await removeTarget(database.queries, acme, target.id);
    await removeTarget(database.queries, acme, target.id);
    expect(await findTarget(database.queries, target.id)).toBeUndefined();
    expect(await database.queries.selectFrom('mirror_changes').select('path').execute()).toEqual([]);
    await expect(database.transaction((tx) => queueChanges(tx, target.id, [change]))).rejects.toMatchObject({
      status: 404,
    });
  });
});
