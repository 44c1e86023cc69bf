import type { Migration } from '../src/foundation/db/migration.ts';

/** Further branches of a repository: which are asked for, which are indexed, which could not be. */
export const branches: Migration = {
  id: '0004-branches',
  up: async (db, d) => {
    await db.schema
      .alterTable('repositories')
      .addColumn('further_branches', d.json, (c) => c.notNull().defaultTo('[]'))
      .execute();
    await db.schema
      .alterTable('repositories')
      .addColumn('indexed_branches', d.json, (c) => c.notNull().defaultTo('[]'))
      .execute();
    await db.schema
      .alterTable('repositories')
      .addColumn('left_out_branches', d.json, (c) => c.notNull().defaultTo('{}'))
      .execute();
  },
};
