import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../test/support/databases.ts';
import { seedOrganization, seedRepository } from '../../../test/support/seeded-repositories.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { findSearchable } from './find-repository.ts';

const commit = 'a'.repeat(40);

describeEachDatabase('findSearchable', (open) => {
  let database: Database;
  let ours: OrgScope;
  let theirs: OrgScope;
  let api: RepositoryId;

  beforeAll(async () => {
    database = await open();
    ours = await seedOrganization(database, 'ours');
    theirs = await seedOrganization(database, 'theirs');
    api = await seedRepository(database, ours, { name: 'team/api', indexedCommit: commit });
    await seedRepository(database, ours, { name: 'new', state: 'cloning' });
    await seedRepository(database, ours, { name: 'old', state: 'removing', indexedCommit: commit });
    await seedRepository(database, ours, { name: 'broken', indexedCommit: commit });
    await database.queries
      .updateTable('repositories')
      .set({ skipped: 'no JSON' })
      .where('name', '=', 'broken')
      .execute();
  });

  const find = (idOrName: string, scope = ours) => findSearchable(database.queries, scope, idOrName);

  it('finds one by id and by name, without reading the rows of others', async () => {
    for (const idOrName of [api, 'team/api']) {
      expect(await find(idOrName)).toMatchObject({ id: api, name: 'team/api', indexedCommit: commit });
    }
  });

  it('says that one is not indexed yet', async () => {
    await expect(find('new')).rejects.toThrow('Repository `new` is not readable yet (cloning)');
  });

  it.each([
    ['unknown', 'nothing-like-it', 'list_repositories shows those there are'],
    ['nearly right', 'team/apu', 'did you mean `team/api`?'],
    ['named without its owner', 'api', 'did you mean `team/api`?'],
    ['on its way out', 'old', 'There is no repository `old` here'],
  ])('knows none that is %s', async (_how, name, advice) => {
    await expect(find(name)).rejects.toThrow(advice);
  });

  it('tells nothing of another organization', async () => {
    for (const idOrName of [api, 'team/api']) {
      await expect(find(idOrName, theirs)).rejects.toThrow('list_repositories shows those there are.');
    }
  });
});
