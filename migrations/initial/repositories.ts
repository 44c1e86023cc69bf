import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the table of repositories. */
export async function createRepositories(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // An organization with repositories cannot be deleted: their files and indexes must be deleted first.
  await d
    .createNumberedTable(db, 'repositories', 'number')
    .addColumn('id', d.text, (c) => c.notNull().unique())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('source', d.text, (c) => c.notNull())
    .addColumn('source_kind', d.text, (c) => c.notNull())
    .addColumn('branch', d.text)
    .addColumn('further_branches', d.json, (c) => c.notNull())
    .addColumn('githost_connection_id', d.text)
    .addColumn('host_repository_id', d.text)
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('state_changed_at', d.int64, (c) => c.notNull())
    .addColumn('progress', d.json)
    .addColumn('indexed_commit', d.text)
    .addColumn('indexed_branches', d.json, (c) => c.notNull())
    .addColumn('indexed_at', d.int64)
    .addColumn('index_generation', d.int64, (c) => c.notNull())
    .addColumn('graph_commit', d.text)
    .addColumn('graph_left_out', d.json)
    .addColumn('files', d.int64, (c) => c.notNull())
    .addColumn('files_without_definitions', d.int64, (c) => c.notNull().defaultTo(0))
    .addColumn('bytes', d.int64, (c) => c.notNull())
    .addColumn('skipped', d.json, (c) => c.notNull())
    .addColumn('left_out_branches', d.json, (c) => c.notNull())
    .addColumn('error', d.json)
    .addColumn('checked_at', d.int64)
    .addColumn('next_check_at', d.int64)
    .addColumn('failed_checks', d.int64, (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('repositories_name', ['organization_id', 'name'])
    .execute();
  // A unique index treats two nulls as different. The default branch is therefore indexed as '', a name no branch has.
  await db.schema
    .createIndex('repositories_source')
    .unique()
    .on('repositories')
    .columns(['organization_id', 'source'])
    .expression(sql`coalesce(branch, '')`)
    .execute();
  await db.schema.createIndex('repositories_next_check').on('repositories').column('next_check_at').execute();
  await db.schema
    .createIndex('repositories_host')
    .on('repositories')
    .columns(['githost_connection_id', 'host_repository_id'])
    .where(sql<boolean>`githost_connection_id is not null`)
    .execute();
}
