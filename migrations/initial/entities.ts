import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of what connections mirror. */
export async function createEntities(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  const table = (name: string) =>
    d
      .createTable(db, name)
      .addColumn('connection_id', d.text, (c) =>
        c.notNull().references('connections.id').onDelete('cascade'),
      );
  // Locked by each change of what a connection mirrors.
  await table('entity_stores').addPrimaryKeyConstraint('entity_stores_key', ['connection_id']).execute();
  await table('sync_checkpoints')
    .addColumn('family', d.text, (c) => c.notNull())
    .addColumn('state', d.json, (c) => c.notNull())
    .addPrimaryKeyConstraint('sync_checkpoints_key', ['connection_id', 'family'])
    .execute();
  await table('oncall_log_entries')
    .addColumn('family', d.text, (c) => c.notNull())
    .addColumn('id', d.text, (c) => c.notNull())
    .addColumn('entry', d.json, (c) => c.notNull())
    .addPrimaryKeyConstraint('oncall_log_entries_key', ['connection_id', 'family', 'id'])
    .addForeignKeyConstraint(
      'oncall_log_entries_checkpoint',
      ['connection_id', 'family'],
      'sync_checkpoints',
      ['connection_id', 'family'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  // Numbered, because the planner of SQLite would rather read all rows of a connection by a primary key that begins with
  // it than use an index.
  await d
    .createNumberedTable(db, 'entities', 'number')
    .addColumn('connection_id', d.text, (c) => c.notNull().references('connections.id').onDelete('cascade'))
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('id', d.text, (c) => c.notNull())
    .addColumn('parent_kind', d.text)
    .addColumn('parent_id', d.text)
    .addColumn('path', d.text)
    .addColumn('wanted_path', d.text)
    .addColumn('hash', d.text)
    .addColumn('updated_at', d.text)
    .addColumn('facts', d.json)
    .addColumn('links', d.json)
    .addColumn('record', d.json)
    .addColumn('list', d.text)
    .addColumn('item', d.json)
    .addColumn('seen_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('entities_key', ['connection_id', 'kind', 'id'])
    .execute();
  await table('entity_names')
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('id', d.text, (c) => c.notNull())
    .addColumn('rank', d.int32, (c) => c.notNull())
    .addColumn('label', d.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('entity_names_key', ['connection_id', 'name', 'kind', 'id'])
    .execute();
  await table('entity_references')
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('id', d.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('entity_references_key', ['connection_id', 'name', 'kind', 'id'])
    .execute();
  await table('assets')
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('id', d.text, (c) => c.notNull())
    .addColumn('url_hash', d.text, (c) => c.notNull())
    .addColumn('url', d.text, (c) => c.notNull())
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('path', d.text)
    .addColumn('bytes', d.int64)
    .addColumn('error', d.text)
    .addPrimaryKeyConstraint('assets_key', ['connection_id', 'kind', 'id', 'url_hash'])
    .execute();
  await indexEntities(db);
}

async function indexEntities(db: SchemaQueries): Promise<void> {
  const index = (name: string, columns: readonly string[]) => {
    const [table = ''] = name.split(':');
    return db.schema
      .createIndex(name.replace(':', '_'))
      .on(table)
      .columns(['connection_id', ...columns]);
  };
  await index('entities:wanted_path', ['wanted_path']).where(sql<boolean>`wanted_path is not null`).execute();
  await index('entities:path', ['path']).where(sql<boolean>`path is not null`).execute();
  await index('entities:parent', ['parent_kind', 'parent_id'])
    .where(sql<boolean>`parent_id is not null`)
    .execute();
  await index('entities:list', ['list']).where(sql<boolean>`list is not null`).execute();
  await index('entity_names:owner', ['kind', 'id']).execute();
  await index('entity_references:owner', ['kind', 'id']).execute();
}
