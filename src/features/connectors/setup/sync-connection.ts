import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { beginRebuild } from '../../mirror/file-store.ts';
import { mirrorCommit } from '../../mirror/tasks.ts';
import { hasConfiguration, isConnected, notConnected } from '../connections/connection.ts';
import { auditConnection, lockConnection } from '../connections/connection-store.ts';
import { type ConnectionsDeps, connectorOf } from '../connections/connections-deps.ts';

/**
 * Reads the configuration of a connection now, compares the provider with the mirrored files and these with the branch,
 * and commits what waits; `full` also looks for deleted entities. @throws NotFound; Conflict before the configuration
 * is proposed
 */
export async function syncConnection(
  { database, connectors, clock }: Pick<ConnectionsDeps, 'database' | 'connectors' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
  { full }: { readonly full: boolean },
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind, name, binding } = connection;
    if (!hasConfiguration(connection)) throw notConnected(connection);
    const { config, content } = connectorOf(connectors, kind).tasks;
    await enqueue(tx, config, { connectionId: id }, { runAt: 0 });
    if (isConnected(connection) && binding !== undefined) {
      await enqueue(tx, content, { connectionId: id, full }, { runAt: 0 });
      await enqueue(tx, mirrorCommit, { targetId: binding.targetId }, { runAt: 0 });
    }
    await auditConnection(tx, connection, actor, 'connection.synced', { name, full }, clock());
  });
}

/**
 * Has all records of a connection read from the provider and written again. What differs on the branch becomes one
 * commit at the end; edits are committed meanwhile. @throws NotFound; Conflict before the configuration was merged
 */
export async function rebuildConnection(
  { database, connectors, clock }: Pick<ConnectionsDeps, 'database' | 'connectors' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind, name, binding } = connection;
    if (!isConnected(connection) || binding === undefined) throw notConnected(connection);
    await beginRebuild(tx, binding.targetId, id);
    const { content } = connectorOf(connectors, kind).tasks;
    await enqueue(tx, content, { connectionId: id, full: true }, { runAt: 0 });
    await auditConnection(tx, connection, actor, 'connection.rebuilt', { name }, clock());
  });
}
