import { isDeepStrictEqual } from 'node:util';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { type Connection, isAuthorized, isConnected } from '../connections/connection.ts';
import {
  changeConnection,
  changeSyncError,
  findConnectionAcrossOrganizations,
} from '../connections/connection-store.ts';
import { webhookUrlOf } from '../connections/connections-deps.ts';
import type { AuthorizedConnection, Connector, ConnectorJobsDeps } from '../port.ts';
import { freshTokens } from './fresh-tokens.ts';
import type { ProviderDeps } from './provider-access.ts';

/** Returns what the jobs of a connector need. */
export function connectorJobsDeps(deps: ProviderDeps, connector: Connector): ConnectorJobsDeps {
  async function find(id: ConnectionId) {
    const connection = await findConnectionAcrossOrganizations(deps.database.queries, id);
    return connection && { connection, authorized: toAuthorized(deps, connector, connection) };
  }

  return {
    database: deps.database,
    clock: deps.clock,
    http: deps.provider.http,
    values: deps.providerSettings,
    keyring: deps.keyring,
    webhookUrl: webhookUrlOf(deps.baseUrl, connector.kind),
    openAuthorized: async (id) => (await find(id))?.authorized,
    async open(id) {
      const { connection, authorized } = (await find(id)) ?? {};
      const { binding, live } = connection ?? {};
      const isMirrored = connection !== undefined && isConnected(connection);
      if (!isMirrored || authorized === undefined || binding === undefined || live === undefined)
        return undefined;
      return { ...authorized, targetId: binding.targetId, configuration: live.configuration };
    },
    async saveAccount({ id, organizationId, account: former }, account) {
      if (account.id !== former.id || isDeepStrictEqual(account, former)) return;
      const present = { account: JSON.stringify(account) };
      await changeConnection(deps.database.queries, { id, organizationId }, present);
    },
    saveSyncError: (id, error) =>
      deps.database.transaction(async (tx) => {
        const isNew = await changeSyncError(tx, id, error);
        // The configuration job decides about the state of the connection.
        if (isNew) await enqueue(tx, connector.tasks.config, { connectionId: id }, { runAt: 0 });
      }),
  };
}

function toAuthorized(
  deps: ProviderDeps,
  connector: Connector,
  connection: Connection,
): AuthorizedConnection | undefined {
  const { id, organizationId, name, account } = connection;
  if (!isAuthorized(connection) || account === undefined) return undefined;
  return {
    id,
    organizationId,
    name,
    account,
    accessToken: async (signal, refused) =>
      (await freshTokens(deps, { connector, connection }, signal, refused)).accessToken,
  };
}
