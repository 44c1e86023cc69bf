import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../db/database.ts';
import { groupTransactions } from './group-transactions.ts';

const note = (database: Database, name: string): Promise<string> =>
  database.transaction(async (tx) => {
    await tx.insertInto('schedules').values({ name, last_slot: 0 }).execute();
    return name;
  });

const names = async (database: Database): Promise<string[]> =>
  (await database.queries.selectFrom('schedules').select('name').orderBy('name').execute()).map(
    ({ name }) => name,
  );

describeEachDatabase('concurrent transactions', (open) => {
  it('are grouped into one transaction', async () => {
    const database = await open();
    let commits = 0;
    const counting: Database = {
      ...database,
      transaction: (work) => {
        commits += 1;
        return database.transaction(work);
      },
    };
    const grouped = groupTransactions(counting);
    expect(await Promise.all(['a', 'b', 'c'].map((name) => note(grouped, name)))).toEqual(['a', 'b', 'c']);
    expect(await names(database)).toEqual(['a', 'b', 'c']);
    expect(commits).toBe(1);
  });

  it('run separately when one of a group fails, so that only that one fails', async () => {
    const database = await open();
    const grouped = groupTransactions(database);
    const bad = grouped.transaction((tx) => sql`select no_such_column from schedules`.execute(tx));
    const results = await Promise.allSettled([note(grouped, 'a'), bad, note(grouped, 'b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names(database)).toEqual(['a', 'b']);
  });

  it('can run one after the other', async () => {
    const grouped = groupTransactions(await open());
    for (const name of ['a', 'b']) expect(await note(grouped, name)).toBe(name);
  });
});
