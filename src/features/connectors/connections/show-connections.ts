import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/page.ts';
import { listSecretFields } from '../../../foundation/secrets/secret-store.ts';
import { appSecretFields, type Connection } from './connection.ts';
import { listConnections, requireConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';
import type { DeploymentApp } from './deployment-apps.ts';

/** A connection with what is set up for it: whether secrets are there, never the secrets. */
export interface ShownConnection extends Connection, Pick<DeploymentApp, 'redirectUri' | 'webhookUrl'> {
  /** By the app saved on the connection, or by the deployment settings. */
  readonly appConfigured: boolean;
  readonly webhookSecretConfigured: boolean;
}

type ShowDeps = Pick<ConnectionsDeps, 'database' | 'apps'>;

/** One page, oldest first. @throws InvalidInput for a bad limit or cursor. */
export async function showConnections(
  deps: ShowDeps,
  scope: OrgScope,
  request: PageRequest,
): Promise<Page<ShownConnection>> {
  const page = await listConnections(deps.database.queries, scope, request);
  return { items: await withSetup(deps, page.items), nextCursor: page.nextCursor };
}

/** @throws NotFound, alike for unknown and foreign ids. */
export async function showConnection(deps: ShowDeps, scope: OrgScope, id: string): Promise<ShownConnection> {
  const connection = await requireConnection(deps.database.queries, scope, id);
  const [shown] = await withSetup(deps, [connection]);
  if (shown === undefined) throw new Error('one connection in, one out');
  return shown;
}

async function withSetup(
  { database, apps }: ShowDeps,
  connections: readonly Connection[],
): Promise<readonly ShownConnection[]> {
  const ids = connections.map(({ id }) => id);
  const saved = await listSecretFields(database.queries, ids);
  return connections.map((connection) => {
    const { configured, webhookSecretSet, redirectUri, webhookUrl } = apps[connection.kind];
    const has = (field: string): boolean => saved.get(connection.id)?.has(field) === true;
    const ownApp = connection.clientId !== undefined && has(appSecretFields.clientSecret);
    return {
      ...connection,
      appConfigured: ownApp || configured,
      webhookSecretConfigured: has(appSecretFields.webhookSecret) || webhookSecretSet,
      redirectUri,
      webhookUrl,
    };
  });
}
