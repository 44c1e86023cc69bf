import { randomUUID } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import type { JobRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { later, queueNow } from './queue-time.ts';

/** A job with its lease: whoever holds the token may say how the job went, until another has taken it. */
export type ClaimedJob = Pick<
  JobRow,
  'id' | 'task' | 'lane' | 'payload' | 'attempts' | 'max_attempts' | 'trace_context'
> & { readonly lease_token: string; readonly fence: number | undefined };

export interface Claim {
  /** Names of the tasks that the caller can run. */
  readonly tasks: readonly string[];
  readonly leaseMs: number;
  readonly clock: Clock;
}

/** Lanes that another worker may take under our hands before a claim gives up until the next wake-up. */
const maxLaneTries = 10;

/**
 * Takes the most urgent job that is due and whose lane is free, together with the lane; `undefined` when there is none.
 * No two callers are given the same job or lane, in whatever process or host.
 */
export async function claimJob(database: Database, claim: Claim): Promise<ClaimedJob | undefined> {
  if (database.dialect === 'sqlite' && !(await isAnyDue(database, claim))) return undefined;
  return database.transaction(async (tx) => {
    // Asked with the lock in hand: waiting for it must not eat the lease.
    const now = queueNow(database.dialect, claim.clock);
    for (let tries = 0; tries < maxLaneTries; tries += 1) {
      const candidate = await lockCandidate(tx, database.dialect, claim.tasks, now);
      if (candidate === undefined) return undefined;
      const lease = { token: randomUUID(), until: later(now, claim.leaseMs) };
      const fence = candidate.lane === null ? undefined : await takeLane(tx, candidate.lane, lease, now);
      if (candidate.lane === null || fence !== undefined) {
        return { ...(await take(tx, candidate.id, lease)), lease_token: lease.token, fence };
      }
    }
    return undefined;
  });
}

/** Milliseconds until the next job of these tasks becomes due; `undefined` when none waits for its time. */
export async function msUntilDue(database: Database, claim: Claim): Promise<number | undefined> {
  const now = queueNow(database.dialect, claim.clock);
  const next = await database.queries
    .selectFrom('jobs')
    .where('state', '=', 'ready')
    .where('run_at', '>', now)
    .where('task', 'in', claim.tasks)
    .select(({ fn }) => [fn.min('run_at').as('runAt'), now.as('now')])
    .executeTakeFirst();
  return next === undefined || next.runAt === null ? undefined : next.runAt - next.now;
}

interface Lease {
  readonly token: string;
  readonly until: RawBuilder<number>;
}

/** Without this look, an idle SQLite worker would take the write lock at every wake-up. */
async function isAnyDue({ dialect, queries }: Database, { tasks, clock }: Claim): Promise<boolean> {
  return (await candidates(queries, tasks, queueNow(dialect, clock)).executeTakeFirst()) !== undefined;
}

async function lockCandidate(
  tx: Queries,
  dialect: Database['dialect'],
  tasks: readonly string[],
  now: RawBuilder<number>,
) {
  const query = candidates(tx, tasks, now);
  // On SQLite the transaction itself is exclusive. On Postgres a job that another claim holds is passed over.
  return (dialect === 'postgres' ? query.forUpdate('jobs').skipLocked() : query).executeTakeFirst();
}

function candidates(queries: Queries, tasks: readonly string[], now: RawBuilder<number>) {
  return queries
    .selectFrom('jobs')
    .leftJoin('lanes', 'lanes.lane', 'jobs.lane')
    .where('jobs.state', '=', 'ready')
    .where('jobs.run_at', '<=', now)
    .where('jobs.task', 'in', tasks)
    .where((eb) => eb.or([eb('lanes.lease_until', 'is', null), eb('lanes.lease_until', '<=', now)]))
    .orderBy('jobs.priority', 'desc')
    .orderBy('jobs.run_at')
    .orderBy('jobs.id')
    .limit(1)
    .select(['jobs.id', 'jobs.lane']);
}

/** No fence when another worker has the lane: on Postgres the row may have been taken after our look at it. */
async function takeLane(
  tx: Queries,
  lane: string,
  lease: Lease,
  now: RawBuilder<number>,
): Promise<number | undefined> {
  const taken = await tx
    .insertInto('lanes')
    .values({ lane, lease_token: lease.token, lease_until: lease.until, fence: 1 })
    .onConflict((conflict) =>
      conflict
        .column('lane')
        .doUpdateSet((eb) => ({
          lease_token: eb.ref('excluded.lease_token'),
          lease_until: eb.ref('excluded.lease_until'),
          fence: eb('lanes.fence', '+', 1),
        }))
        .where((eb) => eb.or([eb('lanes.lease_until', 'is', null), eb('lanes.lease_until', '<=', now)])),
    )
    .returning('fence')
    .executeTakeFirst();
  return taken?.fence;
}

async function take(tx: Queries, id: string, lease: Lease) {
  return tx
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      lease_token: lease.token,
      lease_until: lease.until,
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', id)
    .returning(['id', 'task', 'lane', 'payload', 'attempts', 'max_attempts', 'trace_context'])
    .executeTakeFirstOrThrow();
}
