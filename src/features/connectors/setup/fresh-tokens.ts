import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { forUpdate } from '../../../foundation/db/dialect.ts';
import { Conflict, ExternalServiceError, Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import {
  type Connection,
  notAuthorized,
  type ProviderAccount,
  requireAuthorized,
} from '../connections/connection.ts';
import { disconnectConnections, requireConnection } from '../connections/connection-store.ts';
import { type ConnectionsDeps, connectorOf } from '../connections/connections-deps.ts';
import type { Connector, ProviderTokens, ScopeOptionPage, ScopeOptionsRequest } from '../port.ts';
import {
  type ProviderDeps,
  providerContext,
  readTokens,
  requestTokens,
  saveTokens,
  TokensRefused,
  TokensUnreadable,
} from './provider-access.ts';

interface TokensOwner {
  readonly connector: Connector;
  readonly connection: Pick<Connection, 'id' | 'clientId' | 'name'>;
}

/** Tokens are replaced this long before they expire, in milliseconds. */
const marginMs = 5 * 60_000;
/** Time limit of the request for new tokens. */
const requestMs = 20_000;
/** Maximum time that a process may keep others from refreshing; longer than a request can take. */
const leaseMs = 3 * requestMs;
const pollMs = 100;

/**
 * Returns tokens that the provider accepts, after refreshing them if they expire soon or equal `refused`. A refresh
 * token is valid once, so that only one process refreshes those of a connection, and the others use its result.
 * @throws ExternalServiceError `authorization_lost`; Conflict if the connection has no tokens; the errors of the HTTP
 * client
 */
export async function freshTokens(
  deps: ProviderDeps,
  owner: TokensOwner,
  signal: AbortSignal,
  refused?: string,
): Promise<ProviderTokens> {
  const { id } = owner.connection;
  const deadline = performance.now() + leaseMs;
  for (;;) {
    const tokens = await currentTokens(deps, owner);
    const isExpiring = tokens.expiresAt !== undefined && tokens.expiresAt - marginMs <= deps.clock();
    if (tokens.accessToken !== refused && !isExpiring) return tokens;
    const holder = randomUUID();
    if (await takeLease(deps, id, holder)) {
      try {
        // Another process may have refreshed them since they were read.
        const latest = await currentTokens(deps, owner);
        if (latest.accessToken === tokens.accessToken) return await refresh(deps, owner, latest);
      } finally {
        await releaseLease(deps, id, holder);
      }
    } else {
      if (performance.now() > deadline) throw stillRefreshing(owner);
      await sleep(pollMs, undefined, { signal });
    }
  }
}

async function currentTokens(
  { database, keyring }: ProviderDeps,
  { connection }: TokensOwner,
): Promise<ProviderTokens> {
  const tokens = await readTokens(database.queries, keyring, connection.id);
  if (tokens === undefined) throw notAuthorized(connection.name);
  return tokens;
}

/** Exchanges the refresh token and saves the new tokens before anybody uses them. Call it with the lease. */
async function refresh(
  deps: ProviderDeps,
  owner: TokensOwner,
  former: ProviderTokens,
): Promise<ProviderTokens> {
  const { connector, connection } = owner;
  if (former.refreshToken === undefined) return giveUp(deps, owner, former);
  // No caller may interrupt it: the provider may have replaced the tokens already.
  const signal = AbortSignal.timeout(requestMs);
  const context = await providerContext(deps, owner, signal);
  const grant = { grant_type: 'refresh_token', refresh_token: former.refreshToken };
  let answer: ProviderTokens;
  try {
    answer = await requestTokens(connector, grant, context, deps.clock());
  } catch (error) {
    if (error instanceof TokensRefused && error.reason === 'invalid_grant')
      return giveUp(deps, owner, former);
    if (error instanceof TokensUnreadable && error.refreshToken !== undefined)
      await replaceTokens(deps, connection.id, former, { ...former, refreshToken: error.refreshToken });
    throw error;
  }
  const { refreshToken = former.refreshToken, scope = former.scope } = answer;
  const next = { ...answer, refreshToken, scope };
  const saved = await replaceTokens(deps, connection.id, former, next);
  if (saved !== undefined) return saved;
  // The job that revoked the former tokens does not know these.
  await connector.oauth.revoke(next, context);
  throw notAuthorized(connection.name);
}

/**
 * Saves tokens unless a person authorized the connection meanwhile. Returns those that are valid; `undefined` if the
 * connection was removed meanwhile.
 */
async function replaceTokens(
  { database, keyring, clock }: ProviderDeps,
  id: ConnectionId,
  former: ProviderTokens,
  next: ProviderTokens,
): Promise<ProviderTokens | undefined> {
  return database.transaction(async (tx) => {
    const connection = tx.selectFrom('connections').select('id').where('id', '=', id);
    if ((await forUpdate(tx, connection).executeTakeFirst()) === undefined) return undefined;
    const stored = await readTokens(tx, keyring, id);
    if (stored !== undefined && stored.accessToken !== former.accessToken) return stored;
    await saveTokens(tx, keyring, id, next, clock());
    return next;
  });
}

/**
 * Disconnects the connection, unless its tokens were replaced meanwhile: then the refusal was of old ones. The tokens
 * stay, because a refusal may be a failure of the provider. @throws ExternalServiceError: a person must authorize again
 */
async function giveUp(
  { database, keyring }: ProviderDeps,
  { connector, connection: { id, name } }: TokensOwner,
  former: ProviderTokens,
): Promise<ProviderTokens> {
  const message = `${connector.product} no longer accepts the authorization of the connection ${name}. Authorize it again.`;
  const lost = { code: 'authorization_lost', message };
  const stored = await database.transaction(async (tx) => {
    const found = await readTokens(tx, keyring, id);
    if (found !== undefined && found.accessToken !== former.accessToken) return found;
    await disconnectConnections(tx, [id], lost);
    return undefined;
  });
  if (stored !== undefined) return stored;
  throw new ExternalServiceError(connector.kind, message, { retryable: false, code: lost.code });
}

/** Takes the right to refresh; false if another process has it. A process that was killed loses it by time. */
async function takeLease({ database, clock }: ProviderDeps, id: ConnectionId, holder: string) {
  const now = clock();
  const result = await database.queries
    .updateTable('connections')
    .set({ refresh_holder: holder, refresh_until: now + leaseMs })
    .where('id', '=', id)
    .where((e) => e.or([e('refresh_until', 'is', null), e('refresh_until', '<=', now)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

async function releaseLease({ database }: ProviderDeps, id: ConnectionId, holder: string): Promise<void> {
  const held = database.queries.updateTable('connections').where('refresh_holder', '=', holder);
  await held.where('id', '=', id).set({ refresh_holder: null, refresh_until: null }).execute();
}

function stillRefreshing({ connector, connection }: TokensOwner): Unavailable {
  return new Unavailable(
    'authorization_refreshing',
    `Another process has been refreshing the authorization of ${connection.name} at ${connector.product} for too long. Try again in a minute.`,
    { retryAfter: leaseMs / 1_000 },
  );
}

/** Returns what calls of a connection's provider need; expiring tokens are replaced first. @throws as `freshTokens` */
async function accessOf(deps: ConnectionsDeps, connection: Connection, signal: AbortSignal) {
  const connector = connectorOf(deps.connectors, connection.kind);
  const context = await providerContext(deps, { connector, connection }, signal);
  const tokens = await freshTokens(deps, { connector, connection }, signal);
  return { connector, tokens, context };
}

/**
 * Lists what the scope of a connection can name, as its account sees it. @throws NotFound; Conflict before
 * authorization
 */
export async function listScopeOptions(
  deps: ConnectionsDeps,
  scope: OrgScope,
  id: string,
  request: ScopeOptionsRequest,
  signal: AbortSignal,
): Promise<ScopeOptionPage> {
  const connection = await requireConnection(deps.database.queries, scope, id);
  requireAuthorized(connection);
  const { connector, tokens, context } = await accessOf(deps, connection, signal);
  return connector.scopeOptions(request, tokens, context);
}

/**
 * Asks the provider whose tokens a connection has.
 * @throws Conflict without an authorization or an app, or if they are of another account; the errors of `freshTokens`
 */
export async function checkAuthorization(
  deps: ConnectionsDeps,
  connection: Connection,
  signal: AbortSignal,
): Promise<ProviderAccount> {
  const { connector, tokens, context } = await accessOf(deps, connection, signal);
  const account = await connector.oauth.readAccount(tokens, context);
  const expected = connection.account;
  if (expected === undefined || expected.id === account.id) return account;
  throw new Conflict(
    'conflict',
    `The tokens are of the account ${account.name}, not of ${expected.name}. Authorize ${expected.name} again.`,
  );
}
