import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of connections and webhook deliveries. */
export async function createConnectors(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await connections(db, d);
  await connectionNotes(db, d);
  await deliveries(db, d);
}

async function connections(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // An organization with connections cannot be deleted: their secrets and mirrored files must be deleted first.
  await d
    .createTable(db, 'connections')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('kind', d.text, (c) => c.notNull())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('client_id', d.text)
    .addColumn('account_id', d.text)
    .addColumn('account', d.json)
    .addColumn('error', d.json)
    .addColumn('sync_error', d.json)
    .addColumn('last_accepted_at', d.int64)
    .addColumn('last_rejected_at', d.int64)
    .addColumn('last_sync_at', d.int64)
    .addColumn('reauthorize_by', d.int64)
    .addColumn('auth_state', d.text)
    .addColumn('auth_state_issued_at', d.int64)
    .addColumn('refresh_holder', d.text)
    .addColumn('refresh_until', d.int64)
    .addColumn('githost_connection_id', d.text)
    .addColumn('host_repository_id', d.text)
    .addColumn('repository', d.text)
    .addColumn('branch', d.text)
    .addColumn('scope', d.json)
    .addColumn('target_id', d.text)
    .addColumn('pull_request', d.json)
    .addColumn('live_config', d.json)
    .addColumn('live_commit', d.text)
    .addColumn('next_check_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('connections_name', ['organization_id', 'kind', 'name'])
    // A branch has one configuration of each kind.
    .addUniqueConstraint('connections_target', ['kind', 'target_id'])
    .execute();
  await db.schema
    .createIndex('connections_auth_state')
    .unique()
    .on('connections')
    .column('auth_state')
    .where(sql<boolean>`auth_state is not null`)
    .execute();
  await db.schema
    .createIndex('connections_next_check')
    .on('connections')
    .column('next_check_at')
    .where(sql<boolean>`next_check_at is not null`)
    .execute();
  await db.schema
    .createIndex('connections_account')
    .on('connections')
    .columns(['kind', 'account_id'])
    .execute();
}

async function connectionNotes(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'connection_notes')
    .addColumn('connection_id', d.text, (c) => c.notNull().references('connections.id').onDelete('cascade'))
    .addColumn('topic', d.text, (c) => c.notNull())
    .addColumn('code', d.text, (c) => c.notNull())
    .addColumn('message', d.text, (c) => c.notNull())
    .addColumn('at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('connection_notes_key', ['connection_id', 'topic'])
    .execute();
}

async function deliveries(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'deliveries')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('source', d.text, (c) => c.notNull())
    .addColumn('connection_id', d.text)
    .addColumn('delivery_key', d.text)
    .addColumn('outcome', d.text, (c) => c.notNull())
    .addColumn('reason', d.text)
    .addColumn('event', d.text)
    .addColumn('entities', d.json, (c) => c.notNull())
    .addColumn('body_hash', d.text, (c) => c.notNull())
    .addColumn('body_bytes', d.int64, (c) => c.notNull())
    .addColumn('received_at', d.int64, (c) => c.notNull())
    .addColumn('replayed_at', d.int64)
    .execute();
  // Rejected deliveries are not indexed: an unauthenticated sender must not use up the id of a genuine delivery.
  await db.schema
    .createIndex('deliveries_key')
    .unique()
    .on('deliveries')
    .columns(['connection_id', 'delivery_key'])
    .where(sql<boolean>`outcome <> 'rejected'`)
    .execute();
  await db.schema.createIndex('deliveries_received').on('deliveries').column('received_at').execute();
}
