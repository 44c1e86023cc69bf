import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Unavailable } from '../../kernel/errors.ts';
import { insideTransaction } from '../../kernel/inside-transaction.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, Queries } from '../database.ts';
import { isDatabaseBusy, retryTransaction } from '../retry-transaction.ts';

type Transaction = <T>(work: (tx: Queries) => Promise<T>) => Promise<T>;

/** Key of the lock: the bytes of "orgctx". It must never change. */
const lockKey = 0x6f72_6763_7478;
const retryMs = 200;
const waitMs = 600_000;

/**
 * Runs `work` while no other process migrates this database. On Postgres it holds an advisory lock of one session,
 * which ends with the session, on a connection that bypasses any pooler: a pooler that shares connections per
 * transaction would take the lock on one session and run the migrations on others. SQLite needs no lock, since each
 * of its write transactions excludes every other; such a transaction waits longer here than elsewhere.
 * @throws Unavailable when another process holds the lock for 10 minutes
 */
export async function withMigrationLock<T>(
  database: Database,
  log: Logger,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  if (database.dialect === 'sqlite')
    return work((run) => retryWhileBusy(() => database.transaction(run), log));
  return database.session(async (connection) => {
    await takeLock(connection, log);
    try {
      // A migration of a large table may take longer than the time limit of queries.
      await sql`set statement_timeout = 0`.execute(connection);
      return await work((run) => retryTransaction(() => inTransaction(connection, run), log));
    } finally {
      await sql`reset statement_timeout`.execute(connection);
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
    }
  });
}

/** Runs a SQLite transaction, again while another process keeps the database locked. */
async function retryWhileBusy<T>(run: () => Promise<T>, log: Logger): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isDatabaseBusy(error) || performance.now() > deadline) throw error;
      if (attempt === 1) log.info('waiting for another program that writes to the database');
    }
  }
}

/** Runs a transaction that sees one snapshot of the rows, even if the former version of the program still writes. */
async function inTransaction<T>(connection: Queries, run: (tx: Queries) => Promise<T>): Promise<T> {
  return connection
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => insideTransaction(() => run(tx.withoutPlugins())));
}

async function takeLock(connection: Queries, log: Logger): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_lock(${lockKey}) as held`.execute(connection);
    if (rows[0]?.held === true) return;
    if (performance.now() > deadline) {
      throw new Unavailable(
        'migration_running',
        'Another process is migrating this database. Wait until it has finished.',
      );
    }
    if (attempt === 1) log.info('waiting for another migration');
    await sleep(retryMs);
  }
}
