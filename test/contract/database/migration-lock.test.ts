import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { describeEachDatabase, hasPostgres, openTestDatabase } from '../../support/database/databases.ts';
import { sampleIds, sampleMigrations } from '../../support/database/sample-migrations.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { silentLog } from '../../support/silent-log.ts';

const script = join(import.meta.dirname, '../../support/database/hold-migration.ts');

describeEachDatabase('a process that migrates', (open) => {
  const children: ReturnType<typeof spawn>[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  it('makes the others wait, and when it is killed midway they continue from where it started', async () => {
    const database = await open({ empty: true });
    const holder = spawn(process.execPath, [script, JSON.stringify(database.options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(holder);
    await once(holder.stdout, 'data');
    let done = false;
    const { log, lines } = memoryLog();
    // They wait longer than other writes.
    const waiter = await openDatabase({ ...database.options, lockWaitMs: 100 } as DatabaseOptions, log);
    const waiting = migrateToLatest(waiter, { migrations: sampleMigrations, log }).then((result) => {
      done = true;
      return result;
    });
    await sleep(500);
    expect(done).toBe(false);
    // They wait before they read anything, not at a table that the first one is creating.
    expect(lines).toMatchObject([{ msg: expect.stringMatching(/^waiting for another (migration|program)/) }]);
    holder.kill('SIGKILL');
    expect((await waiting).applied).toEqual(sampleIds);
    await waiter.close();
    expect(await schemaState(database, sampleMigrations)).toBe('current');
  });
});

describe.skipIf(!hasPostgres())('a Postgres behind a pooler', () => {
  /** Counts the connections through it. A transaction-mode pooler would give each transaction another session. */
  async function poolerBefore(
    url: string,
  ): Promise<{ url: string; connections: () => number; close: () => void }> {
    const target = new URL(url);
    const sockets = new Set<Socket>();
    let connections = 0;
    const server = createServer((client) => {
      connections += 1;
      const upstream = connectTo(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      client.pipe(upstream).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const pooled = new URL(url);
    pooled.port = String((server.address() as AddressInfo).port);
    return {
      url: pooled.href,
      connections: () => connections,
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    };
  }

  it('is locked and migrated on one session of DATABASE_DIRECT_URL', async () => {
    const direct = await openTestDatabase('postgres', { empty: true });
    if (direct.options.dialect !== 'postgres') throw new Error('another dialect was opened');
    const pooler = await poolerBefore(direct.options.url);
    const database = await openDatabase(
      {
        ...direct.options,
        url: pooler.url,
        directUrl: `${direct.options.url}?application_name=past-the-pooler`,
      },
      silentLog,
    );
    const seen = new Set<string>();
    const log = Object.assign(Object.create(silentLog) as typeof silentLog, {
      debug: () => undefined,
    });
    const watching = (async () => {
      while (!seen.has('done')) {
        const { rows } = await sql<{ application_name: string }>`
          select a.application_name from pg_locks l join pg_stat_activity a using (pid)
          where l.locktype = 'advisory' and a.datname = current_database()`.execute(direct.queries);
        for (const row of rows) seen.add(row.application_name);
        await sleep(1);
      }
    })();
    const { applied } = await migrateToLatest(database, { migrations, log });
    expect(applied).toEqual(migrations.list.map(({ id }) => id));
    seen.add('done');
    await watching;
    expect([...seen]).toEqual(['past-the-pooler', 'done']);
    await database.close();
    pooler.close();
    await direct.close();
  });
});
