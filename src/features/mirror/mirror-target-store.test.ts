import { beforeEach, expect, it } from 'vitest';
import { seedOrganization } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { addressedTarget } from '../../../test/support/mirror/addressed-target.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { queueChanges } from './change-store.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { changeTarget, ensureTarget, findTarget, removeTarget } from './mirror-target-store.ts';

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
    const repository = await addressedTarget(url);
    const githostConnectionId = connection as ConnectionId | undefined;
    return database.transaction((tx) =>
      ensureTarget(tx, scope, { repository, branch, githostConnectionId }, 5),
    );
  };
  const jobs = async (): Promise<number> =>
    (await database.queries.selectFrom('jobs').select('id').execute()).length;

  it('is created once per repository and branch', async () => {
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

  it('is created once by concurrent requests', async () => {
    const targets = await Promise.all([ensure(acme), ensure(acme), ensure(acme)]);
    expect(new Set(targets.map(({ id }) => id)).size).toBe(1);
  });

  it('belongs to one organization: any spelling of its address is refused for another one', async () => {
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

  it('accepts another address or connection of its organization and retries failed pushes', async () => {
    const target = await ensure(acme);
    const error = { code: 'git_push_forbidden', message: 'no', permanent: true, at: 1, failures: 1 };
    await changeTarget(database.queries, target.id, { error: JSON.stringify(error) });
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

  it('is removed only by its own organization, with its pending changes', async () => {
    const target = await ensure(acme);
    const change = {
      path: 'tracker/a.md',
      content: Buffer.from('a'),
      connectionId: 'c' as ConnectionId,
      origin: 'issue A-1',
    };
    await database.transaction((tx) => queueChanges(tx, target.id, [change], ['tracker']));
    await removeTarget(database.queries, globex, target.id);
    expect(await findTarget(database.queries, target.id)).toEqual(target);
    await removeTarget(database.queries, acme, target.id);
    await removeTarget(database.queries, acme, target.id);
    expect(await findTarget(database.queries, target.id)).toBeUndefined();
    expect(await database.queries.selectFrom('mirror_changes').select('path').execute()).toEqual([]);
    await expect(
      database.transaction((tx) => queueChanges(tx, target.id, [change], ['tracker'])),
    ).rejects.toMatchObject({
      status: 404,
    });
  });
});
