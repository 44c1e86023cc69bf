import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { Connection, ProviderAccount } from '../connections/connection.ts';
import { freshTokens } from './fresh-tokens.ts';
import { providerContext } from './provider-access.ts';
import { connectorOf, type SetupDeps } from './setup-deps.ts';

/**
 * Asks the provider whose tokens a connection has; expiring ones are replaced first.
 * @throws Conflict without an authorization or an app, or if they are of another account; the errors of `freshTokens`
 */
export async function checkAuthorization(
  deps: Pick<SetupDeps, 'connectors' | 'providerSettings' | 'githosts' | 'keyring' | 'database' | 'clock'>,
  connection: Connection,
  signal: AbortSignal,
): Promise<ProviderAccount> {
  const connector = connectorOf(deps.connectors, connection.kind);
  const context = await providerContext(deps, deps.database.queries, { connector, connection }, signal);
  const tokens = await freshTokens(deps, { connector, connection }, signal);
  const account = await connector.setup.oauth.readAccount(tokens, context);
  const expected = connection.account;
  if (expected === undefined || expected.id === account.id) return account;
  throw new Conflict(
    'conflict',
    `The tokens are of the account ${account.name}, not of ${expected.name}. Authorize ${expected.name} again.`,
  );
}
