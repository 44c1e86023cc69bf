import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';
import { type DerivedDatabase, openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { listTables } from '../../../src/foundation/db/migrations/schema-history.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../support/database/databases.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const script = join(import.meta.dirname, '../../support/database/open-derived-once.ts');

/** Opens derived data next to the main database of the test, as the worker does. */
function optionsOf({ options }: TestDatabase): DatabaseOptions {
  return options.dialect === 'sqlite'
    ? { dialect: 'sqlite', file: join(dirname(options.file), 'graph.db') }
    : options;
}

async function marks(derived: DerivedDatabase): Promise<readonly string[]> {
  const rows = await derived.queries.selectFrom('projection_marks').select('repository_id').execute();
  return rows.map(({ repository_id }) => repository_id).toSorted();
}

const mark = (id: string) => ({ repository_id: id, commit_id: 'c', projected_at: 1 });

describeEachDatabase('the store of derived data', (open, dialect) => {
  const opened: DerivedDatabase[] = [];
  afterEach(async () => {
    for (const derived of opened.splice(0)) await derived.close();
  });
  const openIt = async (options: DatabaseOptions): Promise<DerivedDatabase> => {
    const derived = await openDerived(options, derivedSchemas, silentLog);
    opened.push(derived);
    return derived;
  };

  it('is created when it is first opened, separately from the main database, and kept afterwards', async () => {
    const truth = await open();
    const before = await listTables(truth.queries);
    const derived = await openIt(optionsOf(truth));
    await derived.queries.insertInto('projection_marks').values(mark('one')).execute();
    await derived.close();
    expect(await marks(await openIt(optionsOf(truth)))).toEqual(['one']);
    expect(await listTables(truth.queries)).toEqual(before);
  });

  it('of another version is emptied and recreated; the main database keeps its rows', async () => {
    const truth = await open();
    await truth.queries
      .insertInto('organizations')
      .values({ id: 'o', slug: 'o', name: 'o', created_at: 1 })
      .execute();
    const derived = await openIt(optionsOf(truth));
    const prefix = dialect === 'postgres' ? 'graph.' : '';
    await derived.transaction(async (tx) => {
      await tx.insertInto('projection_marks').values(mark('old')).execute();
      await tx.updateTable('derived_version').set({ version: 'graph 0' }).execute();
      await sql.raw(`create table ${prefix}former (id text)`).execute(tx);
      await sql.raw(`create view ${prefix}former_view as select id from ${prefix}former`).execute(tx);
    });
    const anew = await openIt(optionsOf(truth));
    expect(await marks(anew)).toEqual([]);
    await expect(sql.raw(`select * from ${prefix}former`).execute(anew.queries)).rejects.toThrow(/former/);
    await expect(sql.raw(`drop view ${prefix}former_view`).execute(anew.queries)).rejects.toThrow(
      /former_view/,
    );
    expect(await truth.queries.selectFrom('organizations').select('id').execute()).toEqual([{ id: 'o' }]);
  });

  it('is recreated once by several concurrent processes: later writes of one of them are kept', async () => {
    const truth = await open();
    const options = optionsOf(truth);
    const derived = await openIt(options);
    for (const round of ['a', 'b', 'c']) {
      await derived.queries.updateTable('derived_version').set({ version: 'graph 0' }).execute();
      const ids = ['1', '2', '3'].map((n) => `${round}${n}`);
      await Promise.all(
        ids.map((id) => promisify(execFile)(process.execPath, [script, JSON.stringify(options), id])),
      );
      expect(await marks(derived)).toEqual(ids);
    }
  });

  it('shares no transaction with the main database, whichever is the outer one', async () => {
    const truth = await open();
    const derived = await openIt(optionsOf(truth));
    const both = [
      () => truth.transaction(() => derived.transaction(async () => {})),
      () => derived.transaction(() => truth.transaction(async () => {})),
      () => truth.transaction(async () => void (await marks(derived))),
    ];
    for (const attempt of both) await expect(attempt()).rejects.toThrow(/No transaction spans two databases/);
  });

  it('does not wait for the disk at its commits, while the main database still does', async () => {
    const truth = await open();
    const derived = await openIt(optionsOf(truth));
    const setting = (queries: typeof derived.queries | typeof truth.queries) =>
      dialect === 'postgres'
        ? sql<{ value: unknown }>`select current_setting('synchronous_commit') as value`.execute(queries)
        : sql<{ value: unknown }>`select synchronous as value from pragma_synchronous`.execute(queries);
    const inDerived = await derived.transaction(setting);
    const inTruth = await truth.transaction(setting);
    expect(inDerived.rows).toEqual([{ value: dialect === 'postgres' ? 'off' : 1 }]);
    expect(inTruth.rows).toEqual([{ value: dialect === 'postgres' ? 'on' : 2 }]);
    // The session is not changed, because a pooler may reuse it for another client.
    if (dialect === 'postgres') expect((await setting(derived.queries)).rows).toEqual([{ value: 'on' }]);
  });

  itWhen(dialect === 'postgres')(
    'names the missing privilege when it may not create the schema',
    async () => {
      const truth = await open();
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(truth.queries);
      const user = `limited_${rows[0]?.name}`;
      await sql.raw(`create role ${user} login password 'p'`).execute(truth.queries);
      const url = new URL((truth.options as { url: string }).url);
      [url.username, url.password] = [user, 'p'];
      const limited = { ...truth.options, url: url.href } as DatabaseOptions;
      await expect(openIt(limited)).rejects.toThrow(/create schema graph authorization/);
      await sql.raw(`create schema graph authorization ${user}`).execute(truth.queries);
      expect(await marks(await openIt(limited))).toEqual([]);
      for (const derived of opened.splice(0)) await derived.close();
      await sql.raw(`drop owned by ${user}`).execute(truth.queries);
      await sql.raw(`drop role ${user}`).execute(truth.queries);
    },
  );
});

describe('a derived data file that is not a database', () => {
  it('is refused with the advice to remove it', async () => {
    const file = join(temporaryFolder(), 'graph.db');
    await writeFile(file, 'x'.repeat(4_096));
    await expect(openDerived({ dialect: 'sqlite', file }, derivedSchemas, silentLog)).rejects.toThrow(
      /stop orgctx and delete the file/,
    );
  });
});
