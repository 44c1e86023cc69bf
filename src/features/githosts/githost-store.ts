import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { HostAccount } from '../../backends/git-providers/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { parseJsonColumn } from '../../foundation/db/json-column.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { type ConnectionId, isUuid, type OrganizationId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { type Page, type PageRequest, pageOf, startAfter } from '../../foundation/kernel/wire/page.ts';
import type { GithostConnection, GithostError } from './githost-connection.ts';
import type { GithostConnectionRow } from './tables.ts';

/** Inserts a connection. Returns false if the organization has one of that name. */
export async function insertGithost(
  tx: Queries,
  connection: GithostConnection,
  now: number,
): Promise<boolean> {
  const { account, error } = connection;
  const result = await tx
    .insertInto('githost_connections')
    .values({
      id: connection.id,
      organization_id: connection.organizationId,
      kind: connection.kind,
      name: connection.name,
      state: connection.state,
      fields: JSON.stringify(connection.fields),
      url: connection.url,
      api_url: connection.apiUrl,
      installation_id: connection.installationId ?? null,
      account: account === undefined ? null : JSON.stringify(account),
      error: error === undefined ? null : JSON.stringify(error),
      setup_state: null,
      setup_state_issued_at: null,
      setup_installation_id: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function findGithost(
  queries: Queries,
  { organizationId }: DataScope,
  id: string,
): Promise<GithostConnection | undefined> {
  if (!isUuid(id)) return undefined;
  const row = await githostsOf(queries, organizationId).where('id', '=', id).executeTakeFirst();
  return row && toGithost(row);
}

/** Returns one connection. @throws NotFound, for unknown ids and for ids of other organizations alike. */
export async function requireGithost(
  queries: Queries,
  scope: DataScope,
  id: string,
): Promise<GithostConnection> {
  const found = await findGithost(queries, scope, id);
  if (found === undefined) throw noSuchGithost();
  return found;
}

export function noSuchGithost(): NotFound {
  return new NotFound('There is no such Git-host connection in this organization.');
}

export async function findGithostByName(
  queries: Queries,
  { organizationId }: DataScope,
  name: string,
): Promise<GithostConnection | undefined> {
  const row = await githostsOf(queries, organizationId).where('name', '=', name).executeTakeFirst();
  return row && toGithost(row);
}

export async function countGithosts(queries: Queries, { organizationId }: DataScope): Promise<number> {
  const { count } = await queries
    .selectFrom('githost_connections')
    .where('organization_id', '=', organizationId)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns one page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function listGithosts(
  queries: Queries,
  { organizationId }: DataScope,
  request: PageRequest = {},
): Promise<Page<GithostConnection>> {
  const { limit, after } = startAfter(request);
  let query = githostsOf(queries, organizationId)
    .orderBy('id')
    .limit(limit + 1);
  if (after !== undefined) query = query.where('id', '>', after);
  return pageOf((await query.execute()).map(toGithost), limit);
}

/** Saves the name, the fields, the state, the account and the error of a connection. */
export async function updateGithost(
  tx: Queries,
  { id, organizationId, name, fields, state, account, error }: GithostConnection,
): Promise<void> {
  await tx
    .updateTable('githost_connections')
    .set({
      name,
      fields: JSON.stringify(fields),
      state,
      account: account === undefined ? null : JSON.stringify(account),
      error: error === undefined ? null : JSON.stringify(error),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a connection. Returns false if there is no such connection. */
export async function deleteGithost(
  tx: Queries,
  { organizationId }: DataScope,
  id: string,
): Promise<boolean> {
  const result = await tx
    .deleteFrom('githost_connections')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The result of a check of a connection at its host. */
export type GithostCheck =
  | { readonly state: 'connected'; readonly account: HostAccount }
  | { readonly state: 'failed'; readonly error: GithostError };

/** Records a check. A failed one keeps the known account. Writes nothing if nothing changed. */
export async function recordGithostCheck(
  queries: Queries,
  { id, organizationId }: Pick<GithostConnection, 'id' | 'organizationId'>,
  check: GithostCheck,
): Promise<void> {
  const error = check.state === 'failed' ? JSON.stringify(check.error) : null;
  const account = check.state === 'connected' ? { account: JSON.stringify(check.account) } : {};
  await queries
    .updateTable('githost_connections')
    .set({ state: check.state, error, ...account })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where((e) =>
      e.or([
        e('state', '!=', check.state),
        e('error', 'is distinct from', error),
        ...(account.account === undefined ? [] : [e('account', 'is distinct from', account.account)]),
      ]),
    )
    .execute();
}

/**
 * Lists connections of the whole deployment in the order of their ids, for the worker. Requests must not use it.
 */
export async function listEveryGithost(
  queries: Queries,
  after: string,
  limit: number,
): Promise<readonly GithostConnection[]> {
  const rows = await queries
    .selectFrom('githost_connections')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toGithost);
}

/**
 * Returns a connection of any organization. For webhooks only, which name a connection but no organization; the secret
 * of the connection decides what they may do. No response may contain the result.
 */
export async function findGithostAcrossOrganizations(
  queries: Queries,
  by:
    | { readonly id: string }
    | (Pick<GithostConnection, 'kind' | 'apiUrl'> & { readonly installationId: string }),
): Promise<GithostConnection | undefined> {
  const all = queries.selectFrom('githost_connections').selectAll();
  if ('id' in by && !isUuid(by.id)) return undefined;
  const found =
    'id' in by
      ? all.where('id', '=', by.id)
      : all
          .where('kind', '=', by.kind)
          .where('api_url', '=', by.apiUrl)
          .where('installation_id', '=', by.installationId);
  const row = await found.executeTakeFirst();
  return row && toGithost(row);
}

/**
 * Lists the connections of any organization with an installation, at most one for each host. No response may contain
 * the result.
 */
export async function listGithostsOfInstallation(
  queries: Queries,
  installationId: string,
): Promise<readonly Pick<GithostConnection, 'id' | 'organizationId'>[]> {
  const rows = await queries
    .selectFrom('githost_connections')
    .select(['id', 'organization_id'])
    .where('installation_id', '=', installationId)
    .limit(100)
    .execute();
  return rows.map(({ id, organization_id }) => ({
    id: id as ConnectionId,
    organizationId: organization_id as OrganizationId,
  }));
}

/** Saves the hash of a setup state; it replaces an earlier one. */
export async function saveSetupState(
  queries: Queries,
  { id, organizationId }: Pick<GithostConnection, 'id' | 'organizationId'>,
  hash: string,
  now: number,
): Promise<void> {
  await queries
    .updateTable('githost_connections')
    .set({ setup_state: hash, setup_state_issued_at: now, setup_installation_id: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/**
 * Returns the connection of a setup state and the time it was issued; `undefined` if it is unknown or was issued before
 * `earliest`. The state itself names the organization.
 */
export async function findSetupState(
  queries: Queries,
  hash: string,
  earliest: number,
): Promise<OpenSetup | undefined> {
  const row = await queries
    .selectFrom('githost_connections')
    .select(['id', 'setup_state_issued_at as issuedAt'])
    .where('setup_state', '=', hash)
    .executeTakeFirst();
  return openSetup(queries, row, earliest);
}

/** Takes a setup state, so that no other request can use it. Returns what `findSetupState` does. */
export async function takeSetupState(
  queries: Queries,
  hash: string,
  earliest: number,
): Promise<OpenSetup | undefined> {
  const row = await queries
    .updateTable('githost_connections')
    .set({ setup_state: null, setup_installation_id: null })
    .where('setup_state', '=', hash)
    .returning(['id', 'setup_state_issued_at as issuedAt'])
    .executeTakeFirst();
  return openSetup(queries, row, earliest);
}

async function openSetup(
  queries: Queries,
  row: { readonly id: string; readonly issuedAt: number | null } | undefined,
  earliest: number,
): Promise<OpenSetup | undefined> {
  const issuedAt = row?.issuedAt ?? 0;
  if (row === undefined || issuedAt < earliest) return undefined;
  const connection = await findGithostAcrossOrganizations(queries, { id: row.id });
  return connection && { connection, issuedAt };
}

/** A connection with a setup state that is valid. */
export interface OpenSetup {
  readonly connection: GithostConnection;
  readonly issuedAt: number;
}

/**
 * Reserves an installation for the connection that asks a person about it, while its setup state is valid. Returns
 * `taken` if another connection has it or reserved it since `earliest`, and `other` if the state asked about another
 * installation before.
 */
export async function reserveInstallation(
  tx: Queries,
  connection: GithostConnection,
  installationId: string,
  earliest: number,
): Promise<'reserved' | 'taken' | 'other'> {
  if (await isTaken(tx, connection, installationId, earliest)) return 'taken';
  const row = await tx
    .updateTable('githost_connections')
    .set({ setup_installation_id: installationId })
    .where('organization_id', '=', connection.organizationId)
    .where('id', '=', connection.id)
    .where((e) =>
      e.or([e('setup_installation_id', 'is', null), e('setup_installation_id', '=', installationId)]),
    )
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? 'other' : 'reserved';
}

/** Gives an installation to a connection. Returns `undefined` if another connection has it, or reserved it. */
export async function claimInstallation(
  tx: Queries,
  connection: GithostConnection,
  installation: { readonly id: string; readonly account: HostAccount },
  earliest: number,
): Promise<GithostConnection | undefined> {
  if (await isTaken(tx, connection, installation.id, earliest)) return undefined;
  const row = await tx
    .updateTable('githost_connections')
    .set({
      installation_id: installation.id,
      account: JSON.stringify(installation.account),
      state: 'connected',
      error: null,
    })
    .where('organization_id', '=', connection.organizationId)
    .where('id', '=', connection.id)
    .returningAll()
    .executeTakeFirst();
  return row && toGithost(row);
}

async function isTaken(
  queries: Queries,
  { id, kind, apiUrl }: GithostConnection,
  installationId: string,
  earliest: number,
): Promise<boolean> {
  const other = await queries
    .selectFrom('githost_connections')
    .select('id')
    .where('kind', '=', kind)
    .where('api_url', '=', apiUrl)
    .where('id', '!=', id)
    .where((e) =>
      e.or([
        e('installation_id', '=', installationId),
        e.and([
          e('setup_installation_id', '=', installationId),
          e('setup_state', 'is not', null),
          e('setup_state_issued_at', '>=', earliest),
        ]),
      ]),
    )
    .executeTakeFirst();
  return other !== undefined;
}

const account = z.object({ id: z.string(), name: z.string(), url: z.string() });
const failure = z.object({ code: z.string(), message: z.string() });
const fieldValues = z.record(z.string(), z.string());

function toGithost(row: Selectable<GithostConnectionRow>): GithostConnection {
  return {
    id: row.id as ConnectionId,
    organizationId: row.organization_id as OrganizationId,
    kind: row.kind,
    name: row.name,
    state: row.state,
    fields: parseJsonColumn(fieldValues, row.fields) ?? {},
    url: row.url,
    apiUrl: row.api_url,
    installationId: row.installation_id ?? undefined,
    account: parseJsonColumn(account, row.account),
    error: parseJsonColumn(failure, row.error),
  };
}

function githostsOf(queries: Queries, organizationId: OrganizationId) {
  return queries.selectFrom('githost_connections').selectAll().where('organization_id', '=', organizationId);
}
