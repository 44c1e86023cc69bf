import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of mirrored branches, their files and their pending changes. */
export async function createMirror(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'mirror_targets')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('githost_connection_id', d.text)
    .addColumn('host_repository_id', d.text)
    .addColumn('source', d.text, (c) => c.notNull())
    .addColumn('repository', d.text, (c) => c.notNull())
    .addColumn('branch', d.text, (c) => c.notNull())
    .addColumn('head', d.text)
    .addColumn('committed_at', d.int64)
    .addColumn('pushing', d.text)
    .addColumn('compared', d.text)
    .addColumn('error', d.json)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('mirror_targets_branch', ['repository', 'branch'])
    .execute();
  // One pending change per path: a later change replaces it. Numbered, so that content is read in order.
  await d
    .createNumberedTable(db, 'mirror_changes', 'number')
    .addColumn('target_id', d.text, (c) => c.notNull().references('mirror_targets.id').onDelete('cascade'))
    .addColumn('path', d.text, (c) => c.notNull())
    .addColumn('revision', d.text, (c) => c.notNull())
    .addColumn('content', d.bytes)
    .addColumn('bytes', d.int64, (c) => c.notNull())
    .addColumn('connection_id', d.text, (c) => c.notNull())
    .addColumn('origin', d.text, (c) => c.notNull())
    .addColumn('backfill', d.int32, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('mirror_changes_path', ['target_id', 'path'])
    .execute();
  await db.schema
    .createIndex('mirror_changes_order')
    .on('mirror_changes')
    .columns(['target_id', 'backfill', 'path'])
    .execute();
  await d
    .createTable(db, 'mirror_files')
    .addColumn('target_id', d.text, (c) => c.notNull().references('mirror_targets.id').onDelete('cascade'))
    .addColumn('path', d.text, (c) => c.notNull())
    .addColumn('connection_id', d.text, (c) => c.notNull())
    .addColumn('blob', d.text, (c) => c.notNull())
    .addColumn('state', d.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('mirror_files_key', ['target_id', 'path'])
    .execute();
  await d
    .createTable(db, 'mirror_rebuilds')
    .addColumn('connection_id', d.text, (c) => c.primaryKey())
    .addColumn('target_id', d.text, (c) => c.notNull().references('mirror_targets.id').onDelete('cascade'))
    .addColumn('started', d.int32, (c) => c.notNull())
    .execute();
}
