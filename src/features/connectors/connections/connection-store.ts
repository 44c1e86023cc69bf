import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';
import { dialectOf, forUpdate } from '../../../foundation/db/dialect.ts';
import type { ConnectionRow } from '../../../foundation/db/tables.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, isUuid } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/page.ts';
import { appSecretFields, type Connection, type ConnectionKind, type ConnectionState } from './connection.ts';
import { toConnection } from './connection-row.ts';

/** A checked request to make one. */
export type NewConnection = Pick<Connection, 'id' | 'kind' | 'name'>;

/** Saves a draft. False when the organization has a connection of that kind and name. */
export async function insertConnection(
  tx: Queries,
  scope: OrgScope,
  { id, kind, name }: NewConnection,
  now: number,
): Promise<boolean> {
  const result = await tx
    .insertInto('connections')
    .values({
      id,
      organization_id: scope.organizationId,
      kind,
      name,
      state: 'draft',
      client_id: null,
      account_id: null,
      account: null,
      error: null,
      last_accepted_at: null,
      last_rejected_at: null,
      last_sync_at: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'kind', 'name']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** @throws NotFound, alike for unknown and foreign ids. */
export async function requireConnection(queries: Queries, scope: OrgScope, id: string): Promise<Connection> {
  if (!isUuid(id)) throw noSuchConnection();
  const row = await connectionsOf(queries, scope).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noSuchConnection();
  return toConnection(row);
}

export function noSuchConnection(): NotFound {
  return new NotFound('There is no such connection in this organization.');
}

/** Lets nobody else add to the organization until the transaction ends, so that what is counted in it holds. */
export async function holdOrganization(tx: Queries, { organizationId }: OrgScope): Promise<void> {
  await forUpdate(tx, tx.selectFrom('organizations').select('id').where('id', '=', organizationId)).execute();
}

export async function countConnections(
  queries: Queries,
  scope: OrgScope,
  kind: ConnectionKind,
): Promise<number> {
  const { count } = await queries
    .selectFrom('connections')
    .where('organization_id', '=', scope.organizationId)
    .where('kind', '=', kind)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function findConnectionByName(
  queries: Queries,
  scope: OrgScope,
  { kind, name }: Pick<Connection, 'kind' | 'name'>,
): Promise<Connection | undefined> {
  const row = await connectionsOf(queries, scope)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst();
  return row && toConnection(row);
}

/** One page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function listConnections(
  queries: Queries,
  scope: OrgScope,
  request: PageRequest = {},
): Promise<Page<Connection>> {
  const { limit, after } = startAfter(request);
  let query = connectionsOf(queries, scope)
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  const rows = await query.execute();
  return pageOf(rows.map(toConnection), limit);
}

/**
 * Notes the client id of the connection's app and holds the row for the rest of the transaction. `changed` where it
 * was another app's, or none; `undefined` where there is no such connection.
 */
export async function putClientId(
  tx: Queries,
  scope: OrgScope,
  id: ConnectionId,
  clientId: string,
): Promise<'changed' | 'same' | undefined> {
  const update = tx
    .updateTable('connections')
    .set({ client_id: clientId })
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id);
  const changed = await update.where('client_id', 'is distinct from', clientId).executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return 'changed';
  return (await update.executeTakeFirst()).numUpdatedRows > 0n ? 'same' : undefined;
}

/** False where there is no such connection. */
export async function deleteConnection(tx: Queries, scope: OrgScope, id: ConnectionId): Promise<boolean> {
  const result = await tx
    .deleteFrom('connections')
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Those of the given connections that are there still, in any organization: for deliveries, which know ids alone. */
export async function existingConnections(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queries.selectFrom('connections').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Notes when a webhook of this connection was last accepted, or refused; never an earlier time than is there. */
export async function touchConnection(
  tx: Queries,
  column: 'last_accepted_at' | 'last_rejected_at',
  id: ConnectionId,
  at: number,
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ [column]: at })
    .where('id', '=', id)
    .where((e) => e.or([e(column, 'is', null), e(column, '<', at)]))
    .execute();
}

/** Whether any connection of a kind, in any organization, has a webhook secret: without one, no signature can be good. */
export async function someConnectionHasWebhookSecret(
  queries: Queries,
  kind: ConnectionKind,
): Promise<boolean> {
  const found = await queries
    .selectFrom('connections')
    .innerJoin('connection_secrets', 'connection_secrets.connection_id', 'connections.id')
    .select('connections.id')
    .where('connections.kind', '=', kind)
    .where('connection_secrets.field', '=', appSecretFields.webhookSecret)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** What routing a webhook needs to know of a connection. */
export interface RoutedConnection {
  readonly id: ConnectionId;
  readonly accountId: string;
  readonly state: ConnectionState;
  /** Of its webhook secret, still sealed. */
  readonly webhookSecret: string | undefined;
}

/**
 * The connections of some provider accounts in every organization, in a stable order. The one read here without a scope,
 * for webhooks alone: they name an account and no organization, and what they may do hangs on the secret of each
 * connection that this returns. Nothing of it may reach an answer. One statement, whose text is the same however many
 * accounts are asked for.
 */
export async function listConnectionsAcrossOrganizations(
  queries: Queries,
  kind: ConnectionKind,
  accountIds: readonly string[],
): Promise<readonly RoutedConnection[]> {
  const accounts =
    dialectOf(queries) === 'postgres'
      ? sql<string>`unnest(${accountIds}::text[])`
      : sql<string>`value from json_each(${JSON.stringify(accountIds)})`;
  const { rows } = await sql<RoutedRow>`
    select c.id, c.account_id, c.state, s.envelope
    from connections c
    left join connection_secrets s on s.connection_id = c.id and s.field = ${appSecretFields.webhookSecret}
    where c.kind = ${kind} and c.account_id in (select ${accounts})
    order by c.id`.execute(queries);
  return rows.map((row) => ({
    id: row.id as ConnectionId,
    accountId: row.account_id,
    state: row.state,
    webhookSecret: row.envelope ?? undefined,
  }));
}

interface RoutedRow extends Pick<ConnectionRow, 'id' | 'state'> {
  readonly account_id: string;
  readonly envelope: string | null;
}

function connectionsOf(queries: Queries, scope: OrgScope) {
  return queries.selectFrom('connections').selectAll().where('organization_id', '=', scope.organizationId);
}
