import { sql } from 'kysely';
import type { Migration, SchemaDialect, SchemaQueries } from '../src/foundation/db/migration.ts';

/** Secrets at rest, connections, webhook deliveries, what waits to be mirrored, and what is due at set times. */
export const durableCore: Migration = {
  id: '0002-durable-core',
  up: async (db, d) => {
    await secrets(db, d);
    await connections(db, d);
    await deliveries(db, d);
    await mirror(db, d);
    await schedules(db, d);
    await queueOrder(db);
  },
};

async function secrets(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'secret_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('salt', d.text, (c) => c.notNull())
    .addColumn('canary', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  // Of a connector or of a Git-host connection: whoever deletes the connection deletes these in the same transaction.
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

async function connections(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // An organization with connections cannot be deleted: their secrets and what they mirror must go first.
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
    .addColumn('last_accepted_at', d.int64)
    .addColumn('last_rejected_at', d.int64)
    .addColumn('last_sync_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('connections_name', ['organization_id', 'kind', 'name'])
    .execute();
  await db.schema
    .createIndex('connections_account')
    .on('connections')
    .columns(['kind', 'account_id'])
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
  // Rejected deliveries stand outside: whoever cannot sign must not use up the id of one who can.
  await db.schema
    .createIndex('deliveries_key')
    .unique()
    .on('deliveries')
    .columns(['connection_id', 'delivery_key'])
    .where(sql<boolean>`outcome <> 'rejected'`)
    .execute();
  await db.schema.createIndex('deliveries_received').on('deliveries').column('received_at').execute();
}

async function mirror(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'mirror_targets')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('githost_connection_id', d.text)
    .addColumn('source', d.text, (c) => c.notNull())
    .addColumn('repository', d.text, (c) => c.notNull())
    .addColumn('branch', d.text, (c) => c.notNull())
    .addColumn('head', d.text)
    .addColumn('committed_at', d.int64)
    .addColumn('error', d.json)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('mirror_targets_branch', ['repository', 'branch'])
    .execute();
  // One change a path: a later one takes the place of one that still waits. Numbered, so that content is read in order.
  await d
    .createNumberedTable(db, 'mirror_changes', 'number')
    .addColumn('target_id', d.text, (c) => c.notNull().references('mirror_targets.id').onDelete('cascade'))
    .addColumn('path', d.text, (c) => c.notNull())
    .addColumn('revision', d.text, (c) => c.notNull())
    .addColumn('content', d.bytes)
    .addColumn('bytes', d.int64, (c) => c.notNull())
    .addColumn('connection_id', d.text, (c) => c.notNull())
    .addColumn('origin', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('mirror_changes_path', ['target_id', 'path'])
    .execute();
}

async function schedules(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'schedules')
    .addColumn('name', d.text, (c) => c.primaryKey())
    .addColumn('last_slot', d.int64, (c) => c.notNull())
    .execute();
}

/**
 * Each job is written to few indexes: what it costs to take one is mostly the pages that a commit must put on the disk.
 * The order of lanes holds the jobs without one too, so that those of a busy lane need not be passed over to find them;
 * the index of leases serves tokens as well, since few jobs run at once; and when the next job is due, the claim's order
 * tells with one look for each priority.
 */
async function queueOrder(db: SchemaQueries): Promise<void> {
  for (const index of ['jobs_lease_token', 'jobs_due', 'jobs_lane_order']) {
    await db.schema.dropIndex(index).execute();
  }
  await db.schema
    .createIndex('jobs_lane_order')
    .on('jobs')
    .columns(['lane', 'priority desc', 'run_at', 'id'])
    .where(sql<boolean>`state = 'ready'`)
    .execute();
}
