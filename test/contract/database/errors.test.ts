import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import {
  describeEachDatabase,
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { memoryLog } from '../../support/memory-log.ts';

const script = join(import.meta.dirname, '../../support/database/rival-writer.ts');

async function withCounters(database: TestDatabase): Promise<TestDatabase> {
  await sql`create table counters (id text primary key, n integer not null)`.execute(database.queries);
  await sql`insert into counters values ('a', 0), ('b', 0)`.execute(database.queries);
  return database;
}

async function counters({ queries }: TestDatabase): Promise<Record<string, number>> {
  const { rows } = await sql<{ id: string; n: number }>`select id, n from counters`.execute(queries);
  return Object.fromEntries(rows.map(({ id, n }) => [id, n]));
}

const add = (tx: Queries, id: string) => sql`update counters set n = n + 1 where id = ${id}`.execute(tx);

/** Starts another process of `rounds` transactions; `go` starts them and resolves when they have ended. */
async function rival(
  { options }: TestDatabase,
  rounds: number,
  how: string,
): Promise<() => Promise<number | null>> {
  const child = spawn(process.execPath, [script, JSON.stringify(options), String(rounds), how], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.stdin.end('go\n');
    const [code] = await ended;
    return code;
  };
}

describeEachDatabase('two processes that write the same row', (open) => {
  it('lose no transaction', async () => {
    const database = await withCounters(await open());
    const go = await rival(database, 200, 'count');
    const own = async () => {
      for (let round = 0; round < 200; round += 1) await database.transaction((tx) => add(tx, 'a'));
    };
    expect(await Promise.all([go(), own()])).toEqual([0, undefined]);
    expect(await counters(database)).toEqual({ a: 400, b: 0 });
  });
});

describe.skipIf(!hasPostgres())('on Postgres', () => {
  it('a deadlock of two processes ends with both transactions committed once', async () => {
    const database = await withCounters(await openTestDatabase('postgres'));
    const { log, lines } = memoryLog();
    log.level = 'debug';
    const watched = await openDatabase(database.options, log);
    const go = await rival(database, 5, 'deadlock');
    const own = async () => {
      for (let round = 0; round < 5; round += 1) {
        await watched.transaction(async (tx) => {
          await add(tx, 'a');
          // Only queries may be awaited in a transaction, but here the other one must reach the same point.
          await sleep(5);
          await add(tx, 'b');
        });
      }
    };
    expect(await Promise.all([go(), own()])).toEqual([0, undefined]);
    expect(await counters(database)).toEqual({ a: 10, b: 10 });
    // Postgres chooses which of the two it aborts. The test requires that it aborted some.
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(database.queries);
    const repeated = lines.filter(({ msg }) => msg === 'transaction retried').length;
    expect(repeated + (rows[0]?.deadlocks ?? 0)).toBeGreaterThan(0);
    await watched.close();
    await database.close();
  });

  it('a serialization failure of two processes is retried until both have committed', async () => {
    const database = await withCounters(await openTestDatabase('postgres'));
    const go = await rival(database, 10, 'serializable');
    let runs = 0;
    const own = async () => {
      for (let round = 0; round < 10; round += 1) {
        await database.transaction(async (tx) => {
          runs += 1;
          await sql`set transaction isolation level serializable`.execute(tx);
          await sql`select sum(n) from counters`.execute(tx);
          await sleep(2);
          await add(tx, 'a');
        });
      }
    };
    expect(await Promise.all([go(), own()])).toEqual([0, undefined]);
    expect(await counters(database)).toEqual({ a: 10, b: 10 });
    await database.close();
  });

  it('a single statement that a deadlock aborts is retried', async () => {
    const database = await withCounters(await openTestDatabase('postgres'));
    // Each row takes a moment, so that the two statements meet while they update the rows in opposite orders.
    await sql`create function slow(n integer) returns integer language plpgsql as
      $$ begin perform pg_sleep(0.15); return n + 1; end $$`.execute(database.queries);
    const renew = (order: 'asc' | 'desc') =>
      sql`do ${sql.raw(`$$ declare r text; begin for r in select id from counters order by id ${order} loop
        update counters set n = slow(n) where id = r; end loop; end $$`)}`.execute(database.queries);
    await Promise.all([renew('asc'), renew('desc')]);
    expect(await counters(database)).toEqual({ a: 2, b: 2 });
    await database.close();
  });

  it('two transactions that deadlock in one process both commit', async () => {
    const database = await withCounters(await openTestDatabase('postgres'));
    const bothIn = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runs: string[] = [];
    const crosswise = (first: string, second: string, at: number) =>
      database.transaction(async (tx) => {
        runs.push(first);
        await add(tx, first);
        bothIn[at]?.resolve();
        await bothIn[1 - at]?.promise;
        await add(tx, second);
      });
    await Promise.all([crosswise('a', 'b', 0), crosswise('b', 'a', 1)]);
    expect(await counters(database)).toEqual({ a: 2, b: 2 });
    // Postgres aborted one of them, so it ran again. The second run may lock its row before the other one wakes up.
    expect(runs.length).toBeGreaterThanOrEqual(3);
    await database.close();
  });
});

describe('on SQLite', () => {
  it('a transaction that waits for the lock of another process runs its work once', async () => {
    const database = await withCounters(await openTestDatabase('sqlite'));
    if (database.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    const holder = new BetterSqlite3(database.options.file);
    holder.exec('begin immediate');
    setTimeout(() => holder.exec('commit'), 60);
    let runs = 0;
    await database.transaction(async (tx) => {
      runs += 1;
      await add(tx, 'a');
    });
    // It was refused before its work began, so the work ran once.
    expect([runs, await counters(database)]).toEqual([1, { a: 1, b: 0 }]);
    holder.close();
    await database.close();
  });
});
