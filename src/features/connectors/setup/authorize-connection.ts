import { createHash } from 'node:crypto';
import type { Queries } from '../../../foundation/db/database.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { Conflict, InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { readSecret, removeSecrets, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { hashCallbackState, isOfPage, newCallbackState } from '../../identity/callback-state.ts';
import { newSecretToken } from '../../identity/secret-token.ts';
import type { Connection, ConnectionState, ProviderAccount } from '../connections/connection.ts';
import {
  auditConnection,
  changeConnection,
  enterState,
  findConnectionAcrossOrganizations,
  findOtherConnection,
  lockConnection,
  requireConnection,
} from '../connections/connection-store.ts';
import { connectorOf, deploymentApp, type SetupDeps } from '../connections/connections-deps.ts';
import type { Connector, ProviderTokens } from '../port.ts';
import {
  authorizationFields,
  providerContext,
  refusedBy,
  requestTokens,
  saveTokens,
} from './provider-access.ts';

/** Lifetime of a state, in milliseconds (contract section 3). */
const stateMs = 10 * 60_000;

/**
 * Returns the page of the provider at which a person authorizes the account. Its state is valid once, for 10 minutes,
 * and replaces an earlier one.
 * @param session hash of the browser session that the state is bound to, if a page issues it (contract section 3)
 * @throws NotFound; Conflict `oauth_not_configured`
 */
export async function beginAuthorization(
  deps: SetupDeps,
  scope: OrgScope,
  id: ConnectionId,
  signal: AbortSignal,
  session?: string,
): Promise<string> {
  const { database, keyring, clock } = deps;
  const connection = await requireConnection(database.queries, scope, id);
  const connector = connectorOf(deps.connectors, connection.kind);
  const { oauth } = connector;
  const context = await providerContext(deps, { connector, connection }, signal);
  const state = newCallbackState(session);
  const verifier = newSecretToken();
  await database.transaction(async (tx) => {
    const now = clock();
    const locked = await lockConnection(tx, scope, id);
    await changeConnection(tx, locked, {
      auth_state: hashCallbackState(state, session),
      auth_state_issued_at: now,
    });
    const place = { connectionId: id, field: authorizationFields.verifier };
    await saveSecret(tx, keyring, place, verifier, now);
  });
  const url = new URL(oauth.endpoints(deps.providerSettings).authorize);
  const parameters = {
    ...oauth.parameters,
    response_type: 'code',
    client_id: context.clientId,
    redirect_uri: deploymentApp(deps, connector).redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The parameters of the provider's redirect. */
export interface AuthorizationResponse {
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly errorDescription: string | undefined;
  /** Hash of the session of the browser that follows the redirect. */
  readonly session?: string | undefined;
}

export interface FinishedAuthorization extends Connection {
  /** True if a page issued the state. */
  readonly ofPage: boolean;
}

/**
 * Ends an authorization: takes its state, exchanges the code, reads the account and saves both. The state names the
 * connection. Issued over REST or the command line it is valid alone, issued by a page only in the same browser session
 * (contract section 3).
 * @throws InvalidInput for an unknown, used or expired state and for a refusal of the provider; Conflict for an account
 *   that the connection cannot have
 */
export async function finishAuthorization(
  deps: SetupDeps,
  kind: string,
  response: AuthorizationResponse,
  signal: AbortSignal,
): Promise<FinishedAuthorization> {
  const { database, keyring, clock } = deps;
  const { queries } = database;
  const { state = '', session } = response;
  const hash = hashCallbackState(state, session);
  const connection = await takeAuthState(queries, { kind, hash }, clock() - stateMs);
  if (connection === undefined) throw new InvalidInput(unknownState);
  const connector = connectorOf(deps.connectors, kind);
  const place = { connectionId: connection.id, field: authorizationFields.verifier };
  const verifier = await readSecret(queries, keyring, place);
  await removeSecrets(queries, connection.id, [authorizationFields.verifier]);
  const { code, error, errorDescription } = response;
  if (error !== undefined) throw refusedBy(connector.product, { error, error_description: errorDescription });
  if (code === undefined || verifier === undefined) throw new InvalidInput(unknownState);
  const context = await providerContext(deps, { connector, connection }, signal);
  const grant = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: deploymentApp(deps, connector).redirectUri,
  };
  const tokens = await requestTokens(connector, grant, context, clock());
  const account = await connector.oauth.readAccount(tokens, context);
  await saveAuthorization(deps, connector, connection, { tokens, account });
  const finished = await requireConnection(queries, connection, connection.id);
  return { ...finished, ofPage: isOfPage(state) };
}

const unknownState =
  'This authorization is unknown, was finished already, or was started more than 10 minutes ago. Start it again.';

async function saveAuthorization(
  { database, keyring, clock }: SetupDeps,
  connector: Connector,
  { id, organizationId }: Connection,
  { tokens, account }: { readonly tokens: ProviderTokens; readonly account: ProviderAccount },
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, { organizationId }, id);
    checkAccount(connection, account);
    const { exclusiveAccount, lifetimeMs } = connector.oauth;
    if (exclusiveAccount) await checkExclusive(tx, connection, account);
    const now = clock();
    await saveTokens(tx, keyring, id, tokens, now);
    const { id: accountId, name, url } = account;
    const state = stateAfterAuthorization(connection);
    const changes = {
      account_id: accountId,
      account: JSON.stringify({ name, url }),
      reauthorize_by: lifetimeMs === undefined ? null : now + lifetimeMs,
      ...(state && { error: null }),
    };
    const { afterAuthorization } = connector;
    if (afterAuthorization !== undefined)
      await enqueue(tx, afterAuthorization, { connectionId: id }, { runAt: 0 });
    // A configuration may wait on the branch already; it is read at once.
    if (connection.binding !== undefined) await enqueue(tx, connector.tasks.config, { connectionId: id });
    if (state === undefined) await changeConnection(tx, connection, changes);
    else {
      const next = state === 'awaiting_merge' ? { next_check_at: now } : {};
      await enterState(tx, connection, state, { ...changes, ...next });
    }
    const details = { account: name };
    await auditConnection(tx, connection, { kind: 'system' }, 'connection.authorized', details, now);
  });
}

/** Returns the new state; `undefined` if only the tokens are new. */
function stateAfterAuthorization({ state, pull }: Connection): ConnectionState | undefined {
  if (state === 'draft') return 'authorized';
  if (state === 'disconnected') return pull === undefined ? 'authorized' : 'awaiting_merge';
  return undefined;
}

/** The mirrored files of a connection come from one account. */
function checkAccount({ account: former, binding }: Connection, { id, name }: ProviderAccount): void {
  if (former === undefined || former.id === id || binding === undefined) return;
  throw new Conflict(
    'conflict',
    `This connection mirrors the account ${former.name}, not ${name}. Authorize ${former.name}, or add another connection for ${name}.`,
  );
}

/**
 * Takes the state of an authorization, so that no other request can use it. Returns its connection; `undefined` if it
 * is unknown or was issued before `earliest`. The state itself names the organization.
 */
async function takeAuthState(
  queries: Queries,
  { kind, hash }: { readonly kind: string; readonly hash: string },
  earliest: number,
): Promise<Connection | undefined> {
  const taken = await queries
    .updateTable('connections')
    .set({ auth_state: null })
    .where('kind', '=', kind)
    .where('auth_state', '=', hash)
    .returning(['id', 'auth_state_issued_at as issuedAt'])
    .executeTakeFirst();
  if (taken === undefined || (taken.issuedAt ?? 0) < earliest) return undefined;
  return findConnectionAcrossOrganizations(queries, taken.id);
}

/** @throws Conflict if another connection of the organization and kind has the account */
async function checkExclusive(
  tx: Queries,
  connection: Connection,
  { id, name }: ProviderAccount,
): Promise<void> {
  if ((await findOtherConnection(tx, connection, 'account_id', id)) === undefined) return;
  const message = `Another connection of the organization has the account ${name} already. Use that one, or authorize another account.`;
  throw new Conflict('conflict', message);
}
