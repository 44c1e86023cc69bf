import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Connection, isAuthorized, type ProviderAccount } from '../connections/connection.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { ScopeOptionPage, ScopeOptionsRequest } from '../port.ts';
import { freshTokens, notAuthorized } from './fresh-tokens.ts';
import { providerContext } from './provider-access.ts';
import { connectorOf, type SetupDeps } from './setup-deps.ts';

type AskDeps = Pick<
  SetupDeps,
  'connectors' | 'providerSettings' | 'githosts' | 'keyring' | 'database' | 'clock'
>;

/** Returns what calls of the provider of a connection need; expiring tokens are replaced first. @throws as `freshTokens` */
async function accessOf(deps: AskDeps, connection: Connection, signal: AbortSignal) {
  const connector = connectorOf(deps.connectors, connection.kind);
  const context = await providerContext(deps, deps.database.queries, { connector, connection }, signal);
  const tokens = await freshTokens(deps, { connector, connection }, signal);
  return { setup: connector.setup, tokens, context };
}

/**
 * Lists what the scope of a connection can name, as its account sees it. @throws NotFound; Conflict before
 * authorization
 */
export async function listScopeOptions(
  deps: SetupDeps,
  scope: OrgScope,
  id: string,
  request: ScopeOptionsRequest,
  signal: AbortSignal,
): Promise<ScopeOptionPage> {
  const connection = await requireConnection(deps.database.queries, scope, id);
  if (!isAuthorized(connection)) throw notAuthorized(connection.name);
  const { setup, tokens, context } = await accessOf(deps, connection, signal);
  return setup.scopeOptions(request, tokens, context);
}

/**
 * Asks the provider whose tokens a connection has.
 * @throws Conflict without an authorization or an app, or if they are of another account; the errors of `freshTokens`
 */
export async function checkAuthorization(
  deps: AskDeps,
  connection: Connection,
  signal: AbortSignal,
): Promise<ProviderAccount> {
  const { setup, tokens, context } = await accessOf(deps, connection, signal);
  const account = await setup.oauth.readAccount(tokens, context);
  const expected = connection.account;
  if (expected === undefined || expected.id === account.id) return account;
  throw new Conflict(
    'conflict',
    `The tokens are of the account ${account.name}, not of ${expected.name}. Authorize ${expected.name} again.`,
  );
}
