import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../../src/foundation/db/database.ts';
import { announce } from '../../../src/foundation/db/dialect.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { silentLog } from '../../support/silent-log.ts';

const organization = (id: string) => ({ id, slug: id, name: id, created_at: 1 });

async function slugs(database: Database): Promise<readonly string[]> {
  const rows = await database.queries.selectFrom('organizations').select('slug').orderBy('slug').execute();
  return rows.map(({ slug }) => slug);
}

describeEachDatabase('a transaction', (open) => {
  it('keeps what it wrote', async () => {
    const database = await open();
    await database.transaction((tx) => tx.insertInto('organizations').values(organization('one')).execute());
    expect(await slugs(database)).toEqual(['one']);
  });

  it('keeps nothing when it fails', async () => {
    const database = await open();
    const failed = database.transaction(async (tx) => {
      await tx.insertInto('organizations').values(organization('one')).execute();
      throw new Error('after the insert');
    });
    await expect(failed).rejects.toThrow('after the insert');
    expect(await slugs(database)).toEqual([]);
  });

  it('is retried after a transient error, and only then', async () => {
    const database = await open();
    const work = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(Object.assign(new Error('deadlock'), { code: '40P01' }))
      .mockRejectedValueOnce(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY_SNAPSHOT' }))
      .mockResolvedValueOnce('done');
    expect(await database.transaction(work)).toBe('done');
    const wrong = vi.fn().mockRejectedValue(Object.assign(new Error('unique'), { code: '23505' }));
    await expect(database.transaction(wrong)).rejects.toThrow('unique');
    expect(wrong).toHaveBeenCalledOnce();
  });

  it('gives up eventually and reports that the database is busy', async () => {
    const database = await open();
    const work = vi.fn().mockRejectedValue(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }));
    await expect(database.transaction(work)).rejects.toMatchObject({ code: 'database_busy', status: 503 });
    expect(work).toHaveBeenCalledTimes(6);
  });

  it('refuses queries outside it, which would wait forever on a single connection', async () => {
    const database = await open();
    const beside = database.transaction(() => database.queries.selectFrom('jobs').selectAll().execute());
    await expect(beside).rejects.toThrow(/outside the current transaction/);
    const nested = database.transaction(() => database.transaction(async () => {}));
    await expect(nested).rejects.toThrow(/outside the current transaction/);
    expect(await slugs(database)).toEqual([]);
  });

  it('loses none of many concurrent writes', async () => {
    const database = await open();
    const ids = Array.from({ length: 20 }, (_, n) => `o${n}`);
    await Promise.all(
      ids.map((id) =>
        database.transaction((tx) => tx.insertInto('organizations').values(organization(id)).execute()),
      ),
    );
    expect(await slugs(database)).toHaveLength(20);
  });
});

describeEachDatabase('a database', (open, dialect) => {
  it('orders text by bytes and returns integers as numbers', async () => {
    const database = await open();
    for (const slug of ['b', 'B', 'a-1', 'a1']) {
      await database.queries
        .insertInto('organizations')
        .values({ ...organization(slug), created_at: 1_800_000_000_000 })
        .execute();
    }
    expect(await slugs(database)).toEqual(['B', 'a-1', 'a1', 'b']);
    const count = database.queries
      .selectFrom('organizations')
      .select(({ fn }) => [fn.countAll<number>().as('rows'), fn.max('created_at').as('newest')]);
    expect(await count.executeTakeFirstOrThrow()).toEqual({ rows: 4, newest: 1_800_000_000_000 });
  });

  it('refuses a value of the wrong type and a dangling reference', async () => {
    const database = await open();
    const wrongType = sql`insert into organizations (id, slug, name, created_at) values ('x', 'x', 'x', 'soon')`;
    await expect(wrongType.execute(database.queries)).rejects.toThrow();
    const dangling = { user_id: 'nobody', organization_id: 'none', role: 'member', created_at: 1 } as const;
    await expect(database.queries.insertInto('memberships').values(dangling).execute()).rejects.toThrow(
      /foreign key/i,
    );
  });

  it('notifies subscribers of a commit by another connection, and stops when they unsubscribe', async () => {
    const database = await open();
    const other = await openDatabase(database.options, silentLog);
    try {
      const onNews = vi.fn();
      const leave = database.subscribe('orgctx_test', onNews);
      await sleep(200);
      onNews.mockClear();
      const publish = () =>
        other.transaction(async (tx) => {
          await tx
            .insertInto('organizations')
            .values(organization(`o${Math.random()}`))
            .execute();
          await announce(tx, 'orgctx_test');
        });
      await publish();
      await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), { timeout: 120_000, interval: 5 });
      leave();
      onNews.mockClear();
      const onMarker = vi.fn();
      database.subscribe('orgctx_test', onMarker);
      await vi.waitFor(async () => {
        await publish();
        expect(onMarker).toHaveBeenCalled();
      }, 120_000);
      expect(onNews).not.toHaveBeenCalled();
    } finally {
      await other.close();
    }
  });

  itWhen(dialect === 'postgres')('receives notifications again after the connection broke', async () => {
    const database = await open();
    const onNews = vi.fn();
    database.subscribe('orgctx_test', onNews);
    await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), 120_000);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`.execute(database.queries);
    onNews.mockClear();
    await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), 120_000);
    onNews.mockClear();
    await announce(database.queries, 'orgctx_test');
    await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), 120_000);
  });
});
