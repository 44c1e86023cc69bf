import { findConnectionAcrossOrganizations } from '../../features/connectors/connections/connection-state-store.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { connectorOf } from '../../features/connectors/setup/setup-deps.ts';
import { connectorJobsDeps } from '../../features/connectors/setup/synced-connection.ts';
import { checkConnection } from '../../features/doctor/host/connection/check-connection.ts';
import { LeaseLost } from '../../foundation/jobs/lease/lease-lost.ts';
import { newId } from '../../foundation/kernel/ids.ts';
import { recordCalls } from '../../foundation/net/record-calls.ts';
import { type ConnectionChecking, withConnectionDeps } from './check-connection.ts';

/** An entity at the provider: the kind and its id there. */
export interface RecordedEntity {
  readonly kind: string;
  readonly id: string;
}

/**
 * Runs the checks of a connection and reads entities as an edit does, with a redacted line for each call to the provider
 * and the Git host. Stores nothing, except that expiring tokens are renewed: a read ends before its first change.
 * @throws NotFound; NotConfigured without the key of the secrets
 */
export async function recordConnection(
  checking: ConnectionChecking,
  id: string,
  entities: readonly RecordedEntity[],
  write: (line: string) => void,
): Promise<void> {
  const { database, signal, log } = checking;
  const wrap = { http: (http: Parameters<typeof recordCalls>[0]) => recordCalls(http, write) };
  await withConnectionDeps(checking, wrap, async (options) => {
    await checkConnection(options, id);
    const connection = await findConnectionAcrossOrganizations(database.queries, id);
    const connector = connection && connectorOf(connectors, connection.kind);
    const task = connector?.webhooks?.task;
    if (connector === undefined || task === undefined) return;
    const { githosts, providerSettings } = options.deps;
    const deps = connectorJobsDeps({ ...githosts, providerSettings }, connector);
    const { handlers } = connector.jobs({ ...deps, saveSyncError: () => Promise.resolve() });
    const handler = handlers.find((each) => each.task.name === task.name);
    for (const entity of entities) {
      const context = {
        signal,
        log,
        attempt: 1,
        maxAttempts: 1,
        fence: 1,
        // Ends the run where it would store what it read.
        assertHeld: () => Promise.reject(new LeaseLost()),
      };
      try {
        await handler?.run([{ id: newId(), payload: { ...entity, connectionId: id } }], context);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof LeaseLost)) log.warn({ err: error, entity }, 'an entity could not be read');
      }
    }
  });
}
