import { sql } from 'kysely';
import type { SchemaDialect, SchemaQueries } from '../../src/foundation/db/migrations/migration.ts';

/** Creates the tables of the queue, its schedules and its workers. */
export async function createJobs(db: SchemaQueries, d: SchemaDialect): Promise<void> {
  await queue(db, d);
  await indexJobs(db);
  await d
    .createTable(db, 'schedules')
    .addColumn('name', d.text, (c) => c.primaryKey())
    .addColumn('last_slot', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'workers')
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('host', d.text, (c) => c.notNull())
    .addColumn('pid', d.int32, (c) => c.notNull())
    .addColumn('version', d.text, (c) => c.notNull())
    .addColumn('started_at', d.int64, (c) => c.notNull())
    .addColumn('seen_at', d.int64, (c) => c.notNull())
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
    .addColumn('lost_alone', d.int32)
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
}

/**
 * The indexes are partial, so that each holds only the rows its query walks: many dead jobs do not slow a claim. They
 * are few, because claiming a job costs mostly the index pages that a commit must write to the disk:
 * `jobs_lane_order` also holds the jobs without a lane, so that a claim does not scan those of a busy lane to find them;
 * `jobs_lease` also serves look-ups by token, since few jobs run at once; and `jobs_claim_order` finds when the next job
 * is due, with one look-up per priority. `jobs_suspect` is nearly always empty: each insertion looks into it.
 */
async function indexJobs(db: SchemaQueries): Promise<void> {
  const index = (name: string) => db.schema.createIndex(name).on('jobs');
  const ready = sql<boolean>`state = 'ready'`;
  // Coalesces ready jobs. Running jobs are not indexed, so an edit during a run creates a new ready row.
  await index('jobs_ready_key')
    .unique()
    .columns(['task', 'key'])
    .where(sql<boolean>`state = 'ready' and key is not null`)
    .execute();
  await index('jobs_claim_order').columns(['priority desc', 'run_at', 'id']).where(ready).execute();
  await index('jobs_lane_order').columns(['lane', 'priority desc', 'run_at', 'id']).where(ready).execute();
  await index('jobs_lease').column('lease_until').where(sql<boolean>`state = 'running'`).execute();
  await index('jobs_suspect').columns(['task', 'key']).where(sql<boolean>`lost_alone is not null`).execute();
  await index('jobs_dead').columns(['created_at', 'id']).where(sql<boolean>`state = 'dead'`).execute();
}
