import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { isLastRun } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { removeSecrets } from '../../../foundation/secrets/secret-store.ts';
import { hookUrl, needsHooks } from '../../githosts/ensure-hook.ts';
import { findGithost } from '../../githosts/githost-store.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import { openHost } from '../../githosts/open-host.ts';
import { recordAudit } from '../../identity/audit/audit-store.ts';
import type { Connector } from '../port.ts';
import { providerContext, readTokens } from './provider-access.ts';
import type { DisconnectPayload } from './tasks.ts';

export type DisconnectDeps = GithostsDeps & {
  readonly connectors: readonly Connector[];
  readonly providerSettings: Readonly<Record<string, unknown>>;
};

/**
 * Revokes the tokens of a deleted connection, removes the webhook of its repository and then deletes its secrets. The
 * last attempt deletes them in any case and records what was not done, so that a person can do it at the provider. The
 * audit log says what the provider answered.
 */
export async function finishDisconnect(
  deps: DisconnectDeps,
  job: DisconnectPayload,
  context: JobContext,
): Promise<void> {
  const steps = [
    ['authorization', () => revoke(deps, job, context.signal)],
    ['webhook', () => removeHook(deps, job, context.signal)],
  ] as const;
  let answer: string | undefined;
  const failed: { readonly step: string; readonly reason: string }[] = [];
  const retried: OrgctxError[] = [];
  // A provider that does not answer must not keep the webhook.
  for (const [step, work] of steps) {
    try {
      answer = (await work()) ?? answer;
    } catch (error) {
      if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
      context.log.warn({ err: error, connectionId: job.connectionId, step }, 'a disconnect is incomplete');
      if (isLastRun(error, context)) failed.push({ step, reason: error.message });
      else retried.push(error);
    }
  }
  const [first] = retried;
  if (first !== undefined) throw first;
  const { connectionId, organizationId, kind, name } = job;
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    await removeSecrets(tx, connectionId);
    const action = failed.length === 0 ? 'connection.revoked' : 'connection.revocation-failed';
    const entry = { organizationId, actor: { kind: 'system' as const }, action, target: connectionId };
    const details = {
      kind,
      name,
      ...(answer !== undefined && { answer }),
      ...(failed.length > 0 && { failed }),
    };
    await recordAudit(tx, { ...entry, details }, deps.clock());
  });
}

/** Returns what the provider answered; `undefined` if it was not asked. */
async function revoke(
  deps: DisconnectDeps,
  job: DisconnectPayload,
  signal: AbortSignal,
): Promise<string | undefined> {
  const connector = deps.connectors.find(({ kind }) => kind === job.kind);
  const { queries } = deps.database;
  const tokens = await readTokens(queries, deps.keyring, job.connectionId);
  if (tokens === undefined || connector === undefined) return undefined;
  const { connectionId: id, clientId, account, webhooks } = job;
  const connection = { id, clientId, account, webhooks };
  const access = { ...deps, githosts: deps };
  const context = await providerContext(access, queries, { connector, connection }, signal);
  return connector.setup.oauth.revoke(tokens, context);
}

async function removeHook(
  deps: DisconnectDeps,
  job: DisconnectPayload,
  signal: AbortSignal,
): Promise<undefined> {
  if (job.repository === undefined) return;
  const { githostConnectionId, id, fullName } = job.repository;
  const { queries } = deps.database;
  const githost = await findGithost(queries, job, githostConnectionId);
  if (githost === undefined || githost.state === 'pending') return;
  const opened = await openHost({ ...deps, queries }, githost);
  if (!needsHooks(opened)) return;
  await opened.host.removeHook({ id, fullName }, hookUrl(deps.baseUrl, job.connectionId), signal);
}
