import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { isAuthorized } from '../connections/connection.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { ScopeOptionPage, ScopeOptionsRequest } from '../port.ts';
import { freshTokens, notAuthorized } from './fresh-tokens.ts';
import { providerContext } from './provider-access.ts';
import { connectorOf, type SetupDeps } from './setup-deps.ts';

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
  const { queries } = deps.database;
  const connection = await requireConnection(queries, scope, id);
  const connector = connectorOf(deps.connectors, connection.kind);
  if (!isAuthorized(connection)) throw notAuthorized(connection.name);
  const tokens = await freshTokens(deps, { connector, connection }, signal);
  const context = await providerContext(deps, queries, { connector, connection }, signal);
  return connector.setup.scopeOptions(request, tokens, context);
}
