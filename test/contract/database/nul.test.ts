import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { givenRows } from '../../../src/foundation/db/given-rows.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';

const refused = { code: 'validation_failed', status: 400 };

describeEachDatabase('a NUL in a text', (open, dialect) => {
  it('is refused in every statement, alone, in an array of rows and in a transaction', async () => {
    const database = await open({ empty: true });
    const { queries } = database;
    await expect(sql`select ${'a\0b'} as text`.execute(queries)).rejects.toMatchObject(refused);
    await expect(database.transaction((tx) => sql`select ${'\0'} as text`.execute(tx))).rejects.toMatchObject(
      refused,
    );
    const read = async (text: string): Promise<unknown> => {
      const rows = [{ text: 'fine' }, { text }];
      const given = givenRows(dialect, { text: 'text' }, rows);
      return (await sql`select * from ${given}`.execute(queries)).rows;
    };
    await expect(read('a\0b')).rejects.toMatchObject(refused);
    expect(await read('a\\u0000b')).toEqual([{ text: 'fine' }, { text: 'a\\u0000b' }]);
    await expect(sql`select 1 as one`.execute(queries)).resolves.toMatchObject({ rows: [{ one: 1 }] });
  });
});
