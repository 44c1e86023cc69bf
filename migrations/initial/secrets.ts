import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of secrets at rest. */
export async function createSecrets(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'secret_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('salt', d.text, (c) => c.notNull())
    .addColumn('canary', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  // No reference: `connection_id` names a connector or a Git-host connection. Code that deletes a connection deletes its
  // secrets in the same transaction.
  await d
    .createTable(db, 'connection_secrets')
    .addColumn('connection_id', d.text, (c) => c.notNull())
    .addColumn('field', d.text, (c) => c.notNull())
    .addColumn('envelope', d.text, (c) => c.notNull())
    .addColumn('key_id', d.text, (c) => c.notNull())
    .addColumn('updated_at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('connection_secrets_pkey', ['connection_id', 'field'])
    .execute();
  await db.schema.createIndex('connection_secrets_key').on('connection_secrets').column('key_id').execute();
}
