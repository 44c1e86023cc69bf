import { expect, it } from 'vitest';
import { insertConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import { preparedInsert } from '../../../src/foundation/db/prepared-insert.ts';
import type { Tables } from '../../../src/foundation/db/tables.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';

type Checkpoint = Tables['sync_checkpoints'];

const connectionId = 'c' as ConnectionId;

const insert = preparedInsert<Checkpoint>(['family', 'connection_id', 'state'], (queries, rows) =>
  queries
    .insertInto('sync_checkpoints')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'family'])
        .doUpdateSet((eb) => ({ state: eb.ref('excluded.state') })),
    ),
);

describeEachDatabase('a prepared insert', (open) => {
  it.each([0, 1, 2, 7, 64, 65, 200])('writes each of %d rows with its values', async (count) => {
    const database = await open();
    const { queries } = database;
    const scope = await seedOrganization(database, 'acme');
    await insertConnection(queries, scope, { id: connectionId, kind: 'tracker', name: 'c' }, 0);
    const rows = Array.from({ length: count }, (_, n) => ({
      connection_id: connectionId,
      family: `family ${1_000 + n}`,
      state: JSON.stringify({ n }),
    }));
    await insert(queries, rows);
    const changed = rows.map((row) => ({ ...row, state: JSON.stringify({ again: row.family }) }));
    await insert(queries, changed);
    const stored = await queries.selectFrom('sync_checkpoints').selectAll().orderBy('family').execute();
    expect(stored).toEqual(changed);
  });

  it('refuses a statement with other parameters than its rows', async () => {
    const { queries } = await open();
    const other = preparedInsert<Checkpoint>(['connection_id', 'family'], (tx, rows) =>
      tx.insertInto('sync_checkpoints').values(rows.map((row) => ({ ...row, state: 'x' }))),
    );
    await expect(other(queries, [{ connection_id: 'c', family: 'f', state: 's' }])).rejects.toThrow(
      /other parameters/,
    );
  });
});
