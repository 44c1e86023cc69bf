import type { DataScope, OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/wire/page.ts';
import { listSecretFields } from '../../../foundation/secrets/secret-store.ts';
import { type ConnectionHealth, readHealth } from '../health/connection-health.ts';
import { appSecretFields, type Connection, isWebhookSecret } from './connection.ts';
import { listConnections, requireConnection } from './connection-store.ts';
import { type ConnectionsDeps, connectorOf, deploymentApp } from './connections-deps.ts';

/**
 * A connection with the state of its setup and of its work. Says whether secrets are saved; never contains the secrets.
 */
export interface ConnectionWithSetup
  extends Connection,
    ConnectionHealth,
    Pick<ReturnType<typeof deploymentApp>, 'redirectUri' | 'webhookUrl'> {
  /** True if an app is saved on the connection or in the deployment settings. */
  readonly appConfigured: boolean;
  readonly webhookSecretConfigured: boolean;
}

type ShowDeps = Pick<ConnectionsDeps, 'database' | 'connectors' | 'providerSettings' | 'baseUrl'>;

/** Returns one page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function showConnections(
  deps: ShowDeps,
  scope: OrgScope,
  request: PageRequest,
): Promise<Page<ConnectionWithSetup>> {
  const page = await listConnections(deps.database.queries, scope, request);
  return { items: await withSetup(deps, page.items), nextCursor: page.nextCursor };
}

/** Returns one connection. @throws NotFound, for unknown ids and for ids of other organizations alike. */
export async function showConnection(
  deps: ShowDeps,
  scope: DataScope,
  id: string,
): Promise<ConnectionWithSetup> {
  const connection = await requireConnection(deps.database.queries, scope, id);
  return (await withSetup(deps, [connection]))[0]!;
}

async function withSetup(
  deps: ShowDeps,
  connections: readonly Connection[],
): Promise<readonly ConnectionWithSetup[]> {
  const ids = connections.map(({ id }) => id);
  const { queries } = deps.database;
  const saved = await listSecretFields(queries, ids);
  const health = await readHealth(queries, connections);
  return connections.map((connection) => {
    const connector = connectorOf(deps.connectors, connection.kind);
    const { configured, webhookSecretSet, redirectUri, webhookUrl } = deploymentApp(deps, connector);
    const fields = [...(saved.get(connection.id) ?? [])];
    const ownApp = connection.clientId !== undefined && fields.includes(appSecretFields.clientSecret);
    return {
      ...connection,
      ...health.get(connection.id)!,
      appConfigured: ownApp || configured,
      webhookSecretConfigured: fields.some(isWebhookSecret) || webhookSecretSet,
      redirectUri,
      webhookUrl,
    };
  });
}
