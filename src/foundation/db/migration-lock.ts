import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Unavailable } from '../kernel/errors.ts';
import { insideTransaction } from '../kernel/inside-transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Queries } from './database.ts';
import { retryTransaction } from './retry-transaction.ts';

type Transaction = <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;

/** Any constant will do as long as it never changes: the bytes of "orgctx". */
const lockKey = 0x6f72_6763_7478;
const retryMs = 200;
const waitMs = 600_000;

/**
 * Runs `work` while no other process migrates this database. On Postgres an advisory lock of one session, which its
 * end releases, on a connection past any pooler: behind one that shares connections out by transaction, the lock
 * would be taken on one session and the migrations run on others. SQLite needs none, since each of its write
 * transactions excludes every other.
 * @throws Unavailable when another process holds the lock for 10 minutes
 */
export async function holdingMigrationLock<T>(
  database: Database,
  log: Logger,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  if (database.dialect === 'sqlite') return work((run) => database.transaction(run));
  return database.session(async (connection) => {
    await takeLock(connection, log);
    try {
      // A migration of a large table may take longer than any query of a request may.
      await sql`set statement_timeout = 0`.execute(connection);
      return await work((run) => retryTransaction(() => inTransaction(connection, run), log));
    } finally {
      await sql`reset statement_timeout`.execute(connection);
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
    }
  });
}

/** It sees one state of the rows from its begin to its end, whatever the former version still writes meanwhile. */
async function inTransaction<T>(connection: Queries, run: (tx: Queries) => Promise<T>): Promise<T> {
  return connection
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => insideTransaction(() => run(tx.withoutPlugins())));
}

async function takeLock(connection: Queries, log: Logger): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries += 1) {
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_lock(${lockKey}) as held`.execute(connection);
    if (rows[0]?.held === true) return;
    if (performance.now() > deadline) {
      throw new Unavailable('migration_running', 'Another process is migrating this database; wait for it.');
    }
    if (tries === 1) log.info('waiting for another migration');
    await sleep(retryMs);
  }
}
