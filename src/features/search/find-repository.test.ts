import { beforeAll, expect, it } from 'vitest';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { findSearchable } from './find-repository.ts';

const commit = 'a'.repeat(40);

describeEachDatabase('findSearchable', (open) => {
  let database: Database;
  let ours: OrgScope;
  let otherScope: OrgScope;
  let api: RepositoryId;

  beforeAll(async () => {
    database = await open();
    ours = await seedOrganization(database, 'ours');
    otherScope = await seedOrganization(database, 'other');
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

  it('finds a repository by id and by name, without reading other rows', async () => {
    for (const idOrName of [api, 'team/api']) {
      expect(await find(idOrName)).toMatchObject({ id: api, name: 'team/api', indexedCommit: commit });
    }
  });

  it('says that a repository is not indexed yet', async () => {
    await expect(find('new')).rejects.toThrow('Repository `new` is not readable yet (cloning)');
  });

  it.each([
    ['unknown', 'nothing-like-it', 'list the repositories to see which exist'],
    ['nearly right', 'team/apu', 'did you mean `team/api`?'],
    ['named without its owner', 'api', 'did you mean `team/api`?'],
    ['being removed', 'old', 'There is no repository `old` here'],
  ])('does not find a repository that is %s', async (_how, name, advice) => {
    await expect(find(name)).rejects.toThrow(advice);
  });

  it('returns nothing of another organization', async () => {
    for (const idOrName of [api, 'team/api']) {
      await expect(find(idOrName, otherScope)).rejects.toThrow('list the repositories to see which exist.');
    }
  });
});
