import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';

describeEachDatabase('a database', (open) => {
  const organization = (id: string) => ({ id, slug: id, name: id, created_at: 1 });

  it('keeps what a transaction wrote', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      await tx.insertInto('organizations').values(organization('one')).execute();
    });
    expect(await database.queries.selectFrom('organizations').selectAll().execute()).toEqual([
      organization('one'),
    ]);
  });

  it('keeps nothing of a transaction that failed', async () => {
    const database = await open();
    const failed = database.transaction(async (tx) => {
      await tx.insertInto('organizations').values(organization('one')).execute();
      throw new Error('after the insert');
    });
    await expect(failed).rejects.toThrow('after the insert');
    expect(await database.queries.selectFrom('organizations').selectAll().execute()).toEqual([]);
  });
});
