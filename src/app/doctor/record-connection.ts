import { findConnectionAcrossOrganizations } from '../../features/connectors/connections/connection-store.ts';
import { connectorOf } from '../../features/connectors/connections/connections-deps.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { connectorJobsDeps } from '../../features/connectors/setup/synced-connection.ts';
import {
  type ConnectionDoctorOptions,
  type ConnectionReport,
  checkConnection,
} from '../../features/doctor/host/connection/check-connection.ts';
import { LeaseLost } from '../../foundation/jobs/lease/lease-lost.ts';
import { newId } from '../../foundation/kernel/ids.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import { recordCalls } from '../../foundation/net/record-calls.ts';
import { type ConnectionChecking, withConnectionDeps } from './check-connection.ts';

/** An entity at the provider: the kind and its id there. */
export interface RecordedEntity {
  readonly kind: string;
  readonly id: string;
}

export interface Recording {
  /** The checks of `orgctx doctor connector`. */
  readonly report: ConnectionReport;
  /** Number of calls. */
  readonly calls: number;
  /** Why entities were not read. `called` is false if no call was made for one. */
  readonly unread: readonly (RecordedEntity & { readonly called: boolean; readonly message: string })[];
}

/**
 * Runs the checks of a connection and reads entities as an edit does, with a redacted line for each call to the
 * provider and the Git host. Stores nothing, except that expiring tokens are renewed: a read ends before its first
 * change.
 * @throws NotFound; NotConfigured without the key of the secrets
 */
export async function recordConnection(
  checking: ConnectionChecking,
  id: string,
  entities: readonly RecordedEntity[],
  write: (line: string) => void,
): Promise<Recording> {
  let calls = 0;
  const count = (line: string): void => {
    calls += 1;
    write(line);
  };
  const wrap = { http: (http: HttpClient) => recordCalls(http, count) };
  return withConnectionDeps(checking, wrap, async (options) => {
    const report = await checkConnection(options, id);
    const read = await readerOf(checking, options, id);
    const unread: Recording['unread'][number][] = [];
    for (const entity of entities) {
      const before = calls;
      const error = await read(entity);
      const called = calls > before;
      const message = error?.message ?? 'The connection does not mirror such entities.';
      if (error !== undefined || !called) unread.push({ ...entity, called, message });
    }
    return { report, calls, unread };
  });
}

/** Ends a run where it would store what it read. */
function loseLease(): Promise<never> {
  return Promise.reject(new LeaseLost());
}

/** Returns a function that reads an entity, and returns the error that ended it early. */
async function readerOf(
  { database, signal, log }: ConnectionChecking,
  { deps: opened }: ConnectionDoctorOptions,
  id: string,
): Promise<(entity: RecordedEntity) => Promise<Error | undefined>> {
  const connection = await findConnectionAcrossOrganizations(database.queries, id);
  const connector = connection && connectorOf(connectors, connection.kind);
  if (connector === undefined) return () => Promise.resolve(undefined);
  const { incremental: task } = connector.tasks;
  const deps = connectorJobsDeps(opened, connector);
  const { handlers } = connector.jobs({ ...deps, saveSyncError: () => Promise.resolve() });
  const handler = handlers.find((each) => each.task.name === task.name);
  const context = { signal, log, attempt: 1, maxAttempts: 1, fence: 1, assertHeld: loseLease };
  return async (entity) => {
    try {
      await handler?.run([{ id: newId(), payload: { ...entity, connectionId: id } }], context);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LeaseLost) return undefined;
      return error instanceof Error ? error : new Error('unknown');
    }
  };
}
