import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import { forUpdate } from '../../../foundation/db/dialect.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import {
  type ConnectionId,
  isUuid,
  type MirrorTargetId,
  type OrganizationId,
} from '../../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../../foundation/kernel/wire/page.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import type { Repository } from '../../repositories/repository.ts';
import type { ConnectionRow } from '../tables.ts';
import {
  appSecretFields,
  type Binding,
  type Connection,
  type ConnectionError,
  type ConnectionState,
  configurationPull,
  connectionError,
  furtherWebhookSecrets,
  statesBefore,
} from './connection.ts';

/** Saves a draft. Returns false if the organization already has a connection of that kind and name. */
export async function insertConnection(
  tx: Queries,
  scope: OrgScope,
  { id, kind, name }: Pick<Connection, 'id' | 'kind' | 'name'>,
  now: number,
): Promise<boolean> {
  const result = await tx
    .insertInto('connections')
    .values({ id, organization_id: scope.organizationId, kind, name, state: 'draft', created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'kind', 'name']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns one connection. @throws NotFound, for unknown ids and for ids of other organizations alike. */
export function requireConnection(queries: Queries, scope: DataScope, id: string): Promise<Connection> {
  return requireOne(connectionsOf(queries, scope), id);
}

/**
 * Returns one connection and locks its row until the transaction ends, so that a state that was read stays true.
 * @throws NotFound, for unknown ids and for ids of other organizations alike
 */
export function lockConnection(tx: Queries, scope: DataScope, id: string): Promise<Connection> {
  return requireOne(forUpdate(tx, connectionsOf(tx, scope)), id);
}

async function requireOne(query: ReturnType<typeof connectionsOf>, id: string): Promise<Connection> {
  const row = isUuid(id) ? await query.where('id', '=', id).executeTakeFirst() : undefined;
  if (row === undefined) throw noSuchConnection();
  return toConnection(row);
}

export function noSuchConnection(): NotFound {
  return new NotFound('There is no such connection in this organization.');
}

export async function findConnectionByName(
  queries: Queries,
  scope: OrgScope,
  { kind, name }: Pick<Connection, 'kind' | 'name'>,
): Promise<Connection | undefined> {
  const ofKind = connectionsOf(queries, scope).where('kind', '=', kind);
  const row = await ofKind.where('name', '=', name).executeTakeFirst();
  return row && toConnection(row);
}

/** Returns one page, oldest first. @throws InvalidInput for a bad limit or cursor. */
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

/** Finds another connection of the same organization and kind with a value in a column. */
export function findOtherConnection(
  tx: Queries,
  { id, organizationId, kind }: Connection,
  column: 'account_id' | 'target_id',
  value: string,
): Promise<Pick<Connection, 'name'> | undefined> {
  const ofKind = connectionsOf(tx, { organizationId }).where('kind', '=', kind);
  return ofKind.where(column, '=', value).where('id', '!=', id).executeTakeFirst();
}

/** Saves why the jobs of a connection fail, or that they no longer do. Returns false if that is known already. */
export async function changeSyncError(
  tx: Queries,
  id: ConnectionId,
  error: ConnectionError | undefined,
): Promise<boolean> {
  const text = error === undefined ? null : JSON.stringify(error);
  const changed = await tx
    .updateTable('connections')
    .set({ sync_error: text })
    .where('id', '=', id)
    .where('sync_error', 'is distinct from', text)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/**
 * Saves the times at which webhooks of connections were last accepted or rejected; never replaces a later time. Sorted,
 * so that two processes lock rows in the same order and never deadlock.
 */
export async function touchConnections(
  tx: Queries,
  column: 'last_accepted_at' | 'last_rejected_at',
  times: Iterable<readonly [ConnectionId, number]>,
): Promise<void> {
  for (const [id, at] of [...times].toSorted(([a], [b]) => compareText(a, b))) {
    await tx
      .updateTable('connections')
      .set({ [column]: at })
      .where('id', '=', id)
      .where((e) => e.or([e(column, 'is', null), e(column, '<', at)]))
      .execute();
  }
}

/**
 * Returns whether any connection of a kind, in any organization, has a webhook secret. Without one, no signature is
 * valid.
 */
export async function anyConnectionHasWebhookSecret(queries: Queries, kind: string): Promise<boolean> {
  const found = await queries
    .selectFrom('connections')
    .innerJoin('connection_secrets', 'connection_secrets.connection_id', 'connections.id')
    .select('connections.id')
    .where('connections.kind', '=', kind)
    .where(isWebhookSecretField('connection_secrets'))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the condition that a row of `connection_secrets`, known as `alias`, is a webhook secret. */
export function isWebhookSecretField(alias: string): RawBuilder<boolean> {
  const field = sql.ref(`${alias}.field`);
  return sql`(${field} = ${appSecretFields.webhookSecret} or ${field} like ${`${furtherWebhookSecrets}%`})`;
}

/** Ends authorized connections, because the provider no longer accepts their tokens. Others keep their state. */
export async function disconnectConnections(
  tx: Queries,
  ids: readonly ConnectionId[],
  error: ConnectionError,
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('connections')
    .set({ state: 'disconnected', error: JSON.stringify(error), next_check_at: null })
    .where('id', 'in', ids)
    .where('state', 'in', statesBefore.disconnected)
    .execute();
}

function connectionsOf(queries: Queries, scope: DataScope) {
  return queries.selectFrom('connections').selectAll().where('organization_id', '=', scope.organizationId);
}

/**
 * Lists the connections that mirror into the indexed branch of a repository. A connection whose configuration was never
 * merged mirrors nothing yet, and is not among them.
 */
export async function listBoundConnections(
  queries: Queries,
  { organizationId }: OrgScope,
  { githostConnectionId, hostRepositoryId, indexedBranches: [branch] }: Repository,
): Promise<readonly { readonly id: ConnectionId; readonly kind: string }[]> {
  if (githostConnectionId === undefined || hostRepositoryId === undefined || branch === undefined) return [];
  return queries
    .selectFrom('connections')
    .select(['id', 'kind'])
    .$narrowType<{ id: ConnectionId }>()
    .where('organization_id', '=', organizationId)
    .where('githost_connection_id', '=', githostConnectionId)
    .where('host_repository_id', '=', hostRepositoryId)
    .where('branch', '=', branch.name)
    .where('state', 'in', ['connected', 'degraded', 'disconnected'])
    .orderBy('id')
    .execute();
}

type Changes = Omit<Updateable<ConnectionRow>, 'id' | 'organization_id' | 'kind' | 'state'>;
type ConnectionKey = Pick<Connection, 'id' | 'organizationId'>;

/** Returns the statement that sets columns of a connection. */
function updateOf(tx: Queries, { id, organizationId }: ConnectionKey, columns: Updateable<ConnectionRow>) {
  const update = tx.updateTable('connections').set(columns);
  return update.where('organization_id', '=', organizationId).where('id', '=', id);
}

/** Changes columns of a connection. Call it with the row locked. */
export async function changeConnection(
  tx: Queries,
  connection: ConnectionKey,
  changes: Changes,
): Promise<void> {
  await updateOf(tx, connection, changes).execute();
}

/**
 * Changes the state of a connection, and other columns with it. Call it with the row locked, after checking its state:
 * throws, without any change, if the state table does not allow the new one.
 */
export async function enterState(
  tx: Queries,
  connection: ConnectionKey,
  state: ConnectionState,
  changes: Changes = {},
): Promise<void> {
  const update = updateOf(tx, connection, { ...changes, state }).where('state', 'in', statesBefore[state]);
  const { numUpdatedRows } = await update.executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error(`The connection ${connection.id} cannot become ${state} now.`);
}

/** Records what happened to a connection, in the transaction of the change. */
export async function auditConnection(
  tx: Queries,
  { id, organizationId, kind }: Pick<Connection, 'id' | 'organizationId' | 'kind'>,
  actor: AuditActor,
  action: `connection.${string}`,
  details: Readonly<Record<string, unknown>>,
  now: number,
): Promise<void> {
  const entry = { organizationId, actor, action, target: id };
  await recordAudit(tx, { ...entry, details: { kind, ...details } }, now);
}

/**
 * Finds a connection of any organization. For jobs and webhooks, which name a connection but no organization. No
 * response may contain the result.
 */
export async function findConnectionAcrossOrganizations(
  queries: Queries,
  id: ConnectionId | string,
): Promise<Connection | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await queries.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toConnection(row);
}

const account = z.object({ name: z.string(), url: z.string().optional() });
const anyObject = z.record(z.string(), z.unknown());

/** Converts a row of `connections` to a connection. */
function toConnection(row: Selectable<ConnectionRow>): Connection {
  const details = parseJsonColumn(account, row.account);
  const configuration = parseJsonColumn(anyObject, row.live_config);
  const commit = row.live_commit;
  return {
    id: row.id as ConnectionId,
    organizationId: row.organization_id as OrganizationId,
    kind: row.kind,
    name: row.name,
    state: row.state,
    clientId: row.client_id ?? undefined,
    account: details && row.account_id !== null ? { id: row.account_id, ...details } : undefined,
    error: parseJsonColumn(connectionError, row.error),
    syncError: parseJsonColumn(connectionError, row.sync_error),
    binding: toBinding(row),
    pull: parseJsonColumn(configurationPull, row.pull_request),
    live: configuration && commit !== null ? { commit, configuration } : undefined,
    lastAcceptedAt: row.last_accepted_at ?? undefined,
    lastRejectedAt: row.last_rejected_at ?? undefined,
    lastSyncAt: row.last_sync_at ?? undefined,
    nextCheckAt: row.next_check_at ?? undefined,
    reauthorizeBy: row.reauthorize_by ?? undefined,
  };
}

function toBinding(row: Selectable<ConnectionRow>): Binding | undefined {
  const { githost_connection_id, host_repository_id, repository, branch, target_id } = row;
  const scope = parseJsonColumn(anyObject, row.scope);
  if (githost_connection_id === null || host_repository_id === null || repository === null) return undefined;
  if (branch === null || target_id === null || scope === undefined) return undefined;
  return {
    githostConnectionId: githost_connection_id as ConnectionId,
    hostRepositoryId: host_repository_id,
    repository,
    branch,
    targetId: target_id as MirrorTargetId,
    scope,
  };
}
