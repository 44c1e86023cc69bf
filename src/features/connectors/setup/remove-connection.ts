import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isLastRun } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { listSecretFields, removeSecrets } from '../../../foundation/secrets/secret-store.ts';
import { hookSecretField, hookUrl, needsHooks } from '../../githosts/ensure-hook.ts';
import { findGithost } from '../../githosts/githost-store.ts';
import { openHost } from '../../githosts/open-host.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { forgetFiles } from '../../mirror/file-store.ts';
import {
  appSecretFields,
  type Connection,
  furtherWebhookSecrets,
  isWebhookSecret,
} from '../connections/connection.ts';
import { auditConnection, lockConnection } from '../connections/connection-store.ts';
import type { ConnectionsDeps } from '../connections/connections-deps.ts';
import { releaseTarget } from './bind-connection.ts';
import { authorizationFields, providerContext, readTokens } from './provider-access.ts';
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
    await tx.deleteFrom('connections').where('id', '=', id).execute();
    await forgetFiles(tx, id);
    await releaseTarget(tx, scope, connection.binding?.targetId);
    const fields = [...((await listSecretFields(tx, [id])).get(id) ?? [])];
    const isSetUp = fields.includes(authorizationFields.tokens) || fields.includes(hookSecretField);
    if (isSetUp) {
      const needed = new Set<string>([authorizationFields.tokens, appSecretFields.clientSecret]);
      const others = fields.filter((field) => !needed.has(field) || isWebhookSecret(field));
      await removeSecrets(tx, id, others);
      await enqueue(tx, connectionDisconnect, payloadOf(connection, fields));
    } else await removeSecrets(tx, id);
    await auditConnection(tx, connection, actor, 'connection.removed', { name: connection.name }, clock());
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

/**
 * Revokes the tokens of a deleted connection, removes the webhook of its repository and then deletes its secrets. The
 * last attempt deletes them in any case and records what was not done, so that a person can do it at the provider. The
 * audit log says what the provider answered.
 */
export async function finishDisconnect(
  deps: ConnectionsDeps,
  job: DisconnectPayload,
  context: JobContext,
): Promise<void> {
  const failed: { readonly step: string; readonly reason: string }[] = [];
  const retried: OrgctxError[] = [];
  async function attempt<T>(step: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
      context.log.warn({ err: error, connectionId: job.connectionId, step }, 'a disconnect is incomplete');
      if (isLastRun(error, context)) failed.push({ step, reason: error.message });
      else retried.push(error);
      return undefined;
    }
  }
  // A provider that does not answer must not keep the webhook.
  const answer = await attempt('authorization', revoke(deps, job, context.signal));
  await attempt('webhook', removeHook(deps, job, context.signal));
  const [first] = retried;
  if (first !== undefined) throw first;
  const { connectionId: id, name } = job;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    await removeSecrets(tx, id);
    const action = failed.length === 0 ? 'connection.revoked' : 'connection.revocation-failed';
    const told = answer !== undefined && { answer };
    const details = { name, ...told, ...(failed.length > 0 && { failed }) };
    await auditConnection(tx, { ...job, id }, { kind: 'system' }, action, details, deps.clock());
  });
}

/** Returns what the provider answered; `undefined` if it was not asked. */
async function revoke(
  deps: ConnectionsDeps,
  job: DisconnectPayload,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connector = deps.connectors.find(({ kind }) => kind === job.kind);
  const tokens = await readTokens(deps.database.queries, deps.keyring, job.connectionId);
  if (tokens === undefined || connector === undefined) return undefined;
  const connection = { ...job, id: job.connectionId };
  const context = await providerContext(deps, { connector, connection }, signal);
  return connector.oauth.revoke(tokens, context);
}

async function removeHook(deps: ConnectionsDeps, job: DisconnectPayload, signal: AbortSignal): Promise<void> {
  if (job.repository === undefined) return;
  const { githostConnectionId, id, fullName } = job.repository;
  const { queries } = deps.database;
  const githost = await findGithost(queries, job, githostConnectionId);
  if (githost === undefined || githost.state === 'pending') return;
  const opened = await openHost({ ...deps, queries }, githost);
  if (!needsHooks(opened)) return;
  await opened.host.removeHook({ id, fullName }, hookUrl(deps.baseUrl, job.connectionId), signal);
}
