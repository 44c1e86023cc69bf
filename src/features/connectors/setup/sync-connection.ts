import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { beginRebuild } from '../../mirror/file-store.ts';
import { mirrorCommit } from '../../mirror/tasks.ts';
import { hasConfiguration, isConnected, notConnected } from '../connections/connection.ts';
import { lockConnection } from '../connections/connection-store.ts';
import { connectorOf, type SetupDeps } from '../connections/connections-deps.ts';

/**
 * Reads the configuration of a connection now, compares the provider with the mirrored files and these with the branch,
 * and commits what waits; `full` also looks for deleted entities. @throws NotFound; Conflict before the configuration
 * is proposed
 */
export async function syncConnection(
  { database, connectors, clock }: Pick<SetupDeps, 'database' | 'connectors' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
  { full }: { readonly full: boolean },
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind, name } = connection;
    if (!hasConfiguration(connection)) throw notConnected(connection);
    const { tasks } = connectorOf(connectors, kind);
    await enqueue(tx, tasks.config, { connectionId: id }, { runAt: 0 });
    if (isConnected(connection)) await enqueue(tx, tasks.content, { connectionId: id, full }, { runAt: 0 });
    if (isConnected(connection) && connection.binding !== undefined)
      await enqueue(tx, mirrorCommit, { targetId: connection.binding.targetId }, { runAt: 0 });
    const entry = { organizationId: scope.organizationId, actor, action: 'connection.synced', target: id };
    await recordAudit(tx, { ...entry, details: { kind, name, full } }, clock());
  });
}

/**
 * Has all records of a connection read from the provider and written again. What differs on the branch becomes one
 * commit at the end; edits are committed meanwhile. @throws NotFound; Conflict before the configuration was merged
 */
export async function rebuildConnection(
  { database, connectors, clock }: Pick<SetupDeps, 'database' | 'connectors' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind, name, binding } = connection;
    if (!isConnected(connection) || binding === undefined) throw notConnected(connection);
    await beginRebuild(tx, binding.targetId, id);
    await enqueue(
      tx,
      connectorOf(connectors, kind).tasks.content,
      { connectionId: id, full: true },
      { runAt: 0 },
    );
    const entry = { organizationId: scope.organizationId, actor, action: 'connection.rebuilt', target: id };
    await recordAudit(tx, { ...entry, details: { kind, name } }, clock());
  });
}
