import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { listSecretFields, removeSecrets } from '../../../foundation/secrets/secret-store.ts';
import { hookSecretField } from '../../githosts/ensure-hook.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import { forgetFiles } from '../../mirror/file-store.ts';
import {
  appSecretFields,
  type Connection,
  furtherWebhookSecrets,
  isWebhookSecret,
} from '../connections/connection.ts';
import { deleteConnection, lockConnection, noSuchConnection } from '../connections/connection-store.ts';
import type { ConnectionsDeps } from '../connections/connections-deps.ts';
import { releaseTarget } from './bind-connection.ts';
import { authorizationFields } from './provider-access.ts';
import { connectionDisconnect, type DisconnectPayload } from './tasks.ts';

/**
 * Deletes a connection. What it has at the provider and the Git host is removed by a job, which needs its secrets and
 * deletes them last; without any of that they are deleted at once. Its other pending jobs find no connection and end;
 * mirrored files stay. The row is deleted first: a concurrent save of secrets locks the row and finds none afterwards.
 * @throws NotFound, for unknown ids and for ids of other organizations alike.
 */
export async function removeConnection(
  { database, clock }: Pick<ConnectionsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    if (!(await deleteConnection(tx, scope, id))) throw noSuchConnection();
    await forgetFiles(tx, id);
    await releaseTarget(tx, scope, connection.binding?.targetId);
    const fields = [...((await listSecretFields(tx, [id])).get(id) ?? [])];
    const isSetUp = fields.includes(authorizationFields.tokens) || fields.includes(hookSecretField);
    if (isSetUp) {
      const needed = new Set<string>([authorizationFields.tokens, appSecretFields.clientSecret]);
      await removeSecrets(
        tx,
        id,
        fields.filter((field) => !needed.has(field) || isWebhookSecret(field)),
      );
      await enqueue(tx, connectionDisconnect, payloadOf(connection, fields));
    } else await removeSecrets(tx, id);
    const { kind, name, organizationId } = connection;
    const entry = { organizationId, actor, action: 'connection.removed', target: id };
    await recordAudit(tx, { ...entry, details: { kind, name } }, clock());
  });
}

function payloadOf(
  { id, organizationId, kind, name, clientId, account, binding }: Connection,
  fields: readonly string[],
): DisconnectPayload {
  return {
    connectionId: id,
    organizationId,
    kind,
    name,
    clientId,
    account,
    webhooks: fields.flatMap((field) =>
      field.startsWith(furtherWebhookSecrets) ? field.slice(furtherWebhookSecrets.length) : [],
    ),
    repository: binding && {
      githostConnectionId: binding.githostConnectionId,
      id: binding.hostRepositoryId,
      fullName: binding.repository,
    },
  };
}
