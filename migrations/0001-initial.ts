import { sql } from 'kysely';
import type { Migration, SchemaDialect, SchemaQueries } from '../src/foundation/db/migration.ts';

/** Organizations and who may enter them, repositories, and the queue. */
export const initial: Migration = {
  id: '0001-initial',
  up: async (db, d) => {
    await identity(db, d);
    await credentials(db, d);
    await repositories(db, d);
    await queue(db, d);
  },
};

async function identity(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'organizations')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('slug', d.text, (c) => c.notNull().unique())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'users')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('email', d.text, (c) => c.notNull().unique())
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('password_hash', d.text)
    .addColumn('disabled_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'memberships')
    .addColumn('organization_id', d.text, (c) =>
      c.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('role', d.text, (c) => c.notNull())
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addPrimaryKeyConstraint('memberships_pkey', ['organization_id', 'user_id'])
    .execute();
  await db.schema.createIndex('memberships_user').on('memberships').column('user_id').execute();
}

async function credentials(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'api_keys')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('user_id', d.text, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('prefix', d.text, (c) => c.notNull())
    .addColumn('hash', d.text, (c) => c.notNull().unique())
    .addColumn('expires_at', d.int64)
    .addColumn('last_used_at', d.int64)
    .addColumn('revoked_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await db.schema.createIndex('api_keys_user').on('api_keys').column('user_id').execute();
  await d
    .createTable(db, 'one_time_links')
    .addColumn('hash', d.text, (c) => c.primaryKey())
    .addColumn('purpose', d.text, (c) => c.notNull())
    .addColumn('user_id', d.text, (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('expires_at', d.int64, (c) => c.notNull())
    .addColumn('used_at', d.int64)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
}

async function repositories(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  // An organization with repositories cannot be deleted: their files and indexes must go first.
  await d
    .createNumberedTable(db, 'repositories', 'number')
    .addColumn('id', d.text, (c) => c.notNull().unique())
    .addColumn('organization_id', d.text, (c) => c.notNull().references('organizations.id'))
    .addColumn('name', d.text, (c) => c.notNull())
    .addColumn('source', d.text, (c) => c.notNull())
    .addColumn('source_kind', d.text, (c) => c.notNull())
    .addColumn('branch', d.text)
    .addColumn('githost_connection_id', d.text)
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('state_changed_at', d.int64, (c) => c.notNull())
    .addColumn('progress', d.json)
    .addColumn('indexed_commit', d.text)
    .addColumn('indexed_at', d.int64)
    .addColumn('index_generation', d.int64, (c) => c.notNull())
    .addColumn('graph_commit', d.text)
    .addColumn('files', d.int64, (c) => c.notNull())
    .addColumn('bytes', d.int64, (c) => c.notNull())
    .addColumn('skipped', d.json, (c) => c.notNull())
    .addColumn('error', d.json)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .addUniqueConstraint('repositories_name', ['organization_id', 'name'])
    .execute();
  // Two nulls are never equal in a unique index, so the default branch stands in it as the empty name, which no branch has.
  await db.schema
    .createIndex('repositories_source')
    .unique()
    .on('repositories')
    .columns(['organization_id', 'source'])
    .expression(sql`coalesce(branch, '')`)
    .execute();
}

async function queue(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await d
    .createTable(db, 'jobs')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('task', d.text, (c) => c.notNull())
    .addColumn('key', d.text)
    .addColumn('lane', d.text)
    .addColumn('priority', d.int32, (c) => c.notNull())
    .addColumn('payload', d.json, (c) => c.notNull())
    .addColumn('state', d.text, (c) => c.notNull())
    .addColumn('run_at', d.int64, (c) => c.notNull())
    .addColumn('attempts', d.int32, (c) => c.notNull())
    .addColumn('max_attempts', d.int32, (c) => c.notNull())
    .addColumn('lease_token', d.text)
    .addColumn('lease_until', d.int64)
    .addColumn('last_error', d.text)
    .addColumn('trace_context', d.text)
    .addColumn('created_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'lanes')
    .addColumn('lane', d.text, (c) => c.primaryKey())
    .addColumn('lease_token', d.text)
    .addColumn('lease_until', d.int64)
    .addColumn('fence', d.int64, (c) => c.notNull())
    .execute();
  await queueIndexes(db);
}

/** Partial, so that each holds only the rows its query walks: a long list of dead jobs costs the claim nothing. */
async function queueIndexes(db: SchemaQueries): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on('jobs');
  const ready = sql<boolean>`state = 'ready'`;
  // Coalescing. A running row is outside, so an edit during the run makes a new ready row.
  await index('jobs_ready_key')
    .unique()
    .columns(['task', 'key'])
    .where(sql<boolean>`state = 'ready' and key is not null`)
    .execute();
  await index('jobs_claim_order').columns(['priority desc', 'run_at', 'id']).where(ready).execute();
  await index('jobs_due').column('run_at').where(ready).execute();
  await index('jobs_lane_order')
    .columns(['lane', 'priority desc', 'run_at', 'id'])
    .where(sql<boolean>`state = 'ready' and lane is not null`)
    .execute();
  await index('jobs_lease').column('lease_until').where(sql<boolean>`state = 'running'`).execute();
  await index('jobs_lease_token').column('lease_token').where(sql<boolean>`state = 'running'`).execute();
  await index('jobs_dead').columns(['created_at', 'id']).where(sql<boolean>`state = 'dead'`).execute();
}
