import type { Updateable } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { forUpdate } from '../../../foundation/db/dialect.ts';
import { type ConnectionId, isUuid, type OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { ConnectionRow } from '../tables.ts';
import { type Connection, type ConnectionState, statesBefore } from './connection.ts';
import { toConnection } from './connection-row.ts';
import { noSuchConnection } from './connection-store.ts';

/** A connection with its organization, as work in the background uses it. */
export interface OwnedConnection extends Connection {
  readonly organizationId: OrganizationId;
}

/**
 * Returns one connection and locks its row until the transaction ends, so that a state that was read stays true.
 * @throws NotFound, for unknown ids and for ids of other organizations alike
 */
export async function lockConnection(
  tx: Queries,
  { organizationId }: DataScope,
  id: string,
): Promise<OwnedConnection> {
  if (!isUuid(id)) throw noSuchConnection();
  const found = tx.selectFrom('connections').selectAll().where('id', '=', id);
  const row = await forUpdate(tx, found.where('organization_id', '=', organizationId)).executeTakeFirst();
  if (row === undefined) throw noSuchConnection();
  return { ...toConnection(row), organizationId };
}

type Changes = Omit<Updateable<ConnectionRow>, 'id' | 'organization_id' | 'kind' | 'state'>;

/** Changes columns of a connection. Call it with the row locked. */
export async function changeConnection(
  tx: Queries,
  { id, organizationId }: Pick<OwnedConnection, 'id' | 'organizationId'>,
  changes: Changes,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/**
 * Changes the state of a connection, and other columns with it. Call it with the row locked, after checking its state:
 * throws, without any change, if the state table does not allow the new one.
 */
export async function enterState(
  tx: Queries,
  { id, organizationId }: Pick<OwnedConnection, 'id' | 'organizationId'>,
  state: ConnectionState,
  changes: Changes = {},
): Promise<void> {
  const result = await tx
    .updateTable('connections')
    .set({ ...changes, state })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('state', 'in', statesBefore(state))
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new Error(`The connection ${id} cannot become ${state} now.`);
}

/**
 * Finds a connection of any organization. For jobs and webhooks, which name a connection but no organization. No
 * response may contain the result.
 */
export async function findConnectionAcrossOrganizations(
  queries: Queries,
  id: ConnectionId | string,
): Promise<OwnedConnection | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst();
  return row && { ...toConnection(row), organizationId: row.organization_id as OrganizationId };
}
