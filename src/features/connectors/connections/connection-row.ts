import type { Selectable } from 'kysely';
import { z } from 'zod';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import type { ConnectionRow } from '../tables.ts';
import { type Binding, type Connection, configurationPull, connectionError } from './connection.ts';

const account = z.object({ name: z.string(), url: z.string().optional() });
const anyObject = z.record(z.string(), z.unknown());

/** Converts a row of `connections` to a connection. */
export function toConnection(row: Selectable<ConnectionRow>): Connection {
  const details = parseJsonColumn(account, row.account);
  const configuration = parseJsonColumn(anyObject, row.live_config);
  const commit = row.live_commit;
  return {
    id: row.id as ConnectionId,
    kind: row.kind,
    name: row.name,
    state: row.state,
    clientId: row.client_id ?? undefined,
    account: details && row.account_id !== null ? { id: row.account_id, ...details } : undefined,
    error: parseJsonColumn(connectionError, row.error),
    binding: toBinding(row),
    pull: parseJsonColumn(configurationPull, row.pull_request),
    live: configuration && commit !== null ? { commit, configuration } : undefined,
    lastAcceptedAt: row.last_accepted_at ?? undefined,
    lastRejectedAt: row.last_rejected_at ?? undefined,
    lastSyncAt: row.last_sync_at ?? undefined,
    nextCheckAt: row.next_check_at ?? undefined,
    reauthorizeBy: row.reauthorize_by ?? undefined,
  };
}

function toBinding(row: Selectable<ConnectionRow>): Binding | undefined {
  const { githost_connection_id, host_repository_id, repository, branch, target_id } = row;
  const scope = parseJsonColumn(anyObject, row.scope);
  if (githost_connection_id === null || host_repository_id === null || repository === null) return undefined;
  if (branch === null || target_id === null || scope === undefined) return undefined;
  return {
    githostConnectionId: githost_connection_id as ConnectionId,
    hostRepositoryId: host_repository_id,
    repository,
    branch,
    targetId: target_id as MirrorTargetId,
    scope,
  };
}
