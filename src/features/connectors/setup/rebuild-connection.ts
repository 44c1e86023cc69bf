import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { beginRebuild } from '../../mirror/rebuild-store.ts';
import { isConnected, notConnected } from '../connections/connection.ts';
import { lockConnection } from '../connections/connection-state-store.ts';
import { connectorOf, type SetupDeps } from './setup-deps.ts';

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
    await enqueue(tx, connectorOf(connectors, kind).sync, { connectionId: id, full: true }, { runAt: 0 });
    const entry = { organizationId: scope.organizationId, actor, action: 'connection.rebuilt', target: id };
    await recordAudit(tx, { ...entry, details: { kind, name } }, clock());
  });
}
