import { listWorkers } from '../../../../foundation/jobs/inspect/list-workers.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import { hostNameRefusal } from '../../../../foundation/net/resolve-public.ts';
import { isConnected } from '../../../connectors/connections/connection.ts';
import { findRejection } from '../../../connectors/intake/delivery-store.ts';
import { type CheckOutcome, fail, pass, skipped, warning } from '../check.ts';
import type { CheckedConnection, ConnectionCheck } from './connection-check.ts';

export const webhookAddressCheck: ConnectionCheck = {
  id: 'webhook-address',
  title: 'Webhook address',
  async run({ connector, connection: { webhookUrl, webhookSecretConfigured }, server }) {
    const evidence = { webhookUrl };
    const host = URL.parse(webhookUrl)?.hostname;
    if (host === undefined || hostNameRefusal(host) !== undefined) {
      return warning(
        `${connector.product} cannot deliver to ${webhookUrl}, because the address is not public.`,
        'Set AUTH_BASE_URL to a public https address that leads to this service.',
        evidence,
      );
    }
    if (!webhookSecretConfigured) {
      return fail('No webhook secret is saved, so every delivery is rejected.', saveSecret, evidence);
    }
    return (await unanswered(server)) ?? pass(`The service answers at its public address.`, evidence);
  },
};

const saveSecret =
  'Save the signing secret of the app on the connection (PUT /connections/:id/app, or ' +
  '"orgctx connector resume <connection> --client-id <id>"), or set it for the deployment.';

/** Asks the service at its public address. Returns `undefined` if it answers. */
async function unanswered(server: CheckedConnection['server']): Promise<CheckOutcome | undefined> {
  if (server === undefined) return undefined;
  const hint = 'Check DNS, TLS and the proxy in front of the service, and that "orgctx serve" runs.';
  try {
    const { status, version } = await server.ask();
    if (status === 200 && version !== undefined) return undefined;
    return warning(`What answers at ${server.url} is not a ready orgctx (status ${status}).`, hint);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return warning(`The service cannot be reached at ${server.url}: ${error.message}`, hint);
  }
}

/** Time without any webhook after which edits probably do not arrive, in milliseconds. */
const silentMs = 7 * 86_400_000;

/** The first cause of missing edits: the provider sends nothing, or to another address. */
export const arrivalCheck: ConnectionCheck = {
  id: 'deliveries-arrive',
  title: 'Deliveries arrive',
  async run(checked) {
    const { connector, connection, deps } = checked;
    if (!isConnected(checked.connection)) return skipped('The connection is not connected.');
    const last = Math.max(connection.lastAcceptedAt ?? 0, connection.lastRejectedAt ?? 0);
    const hint =
      `Check at ${connector.product} that webhooks are turned on for ${connection.webhookUrl}, and that their categories ` +
      'are selected. Until then edits are found by the regular sync.';
    if (last === 0) {
      return warning(
        'No webhook has ever arrived. If records were edited, the cause is that deliveries do not arrive.',
        hint,
      );
    }
    const evidence = { lastArrivedAt: isoTime(last) };
    if (deps.clock() - last <= silentMs)
      return pass(`The last webhook arrived at ${isoTime(last)}.`, evidence);
    return warning(
      `No webhook has arrived since ${isoTime(last)}. If records were edited since, the cause is that deliveries do not arrive.`,
      hint,
      evidence,
    );
  },
};

/** Next steps by the reason of a rejection. */
const nextSteps: Readonly<Record<string, string>> = {
  signature_invalid:
    'Save the signing secret that the provider shows for this webhook. A proxy that rewrites bodies breaks signatures, too.',
  timestamp_stale: 'Set the clock of this host; a queue in front of the service may also delay deliveries.',
  webhook_secret_missing: saveSecret,
  secret_unreadable: 'Run "orgctx doctor": the key of the connection secrets is missing.',
};

/** The second cause of missing edits: the service refuses what arrives. */
export const acceptanceCheck: ConnectionCheck = {
  id: 'deliveries-accepted',
  title: 'Deliveries are accepted',
  async run({ connection: { kind, lastAcceptedAt, lastRejectedAt }, deps }) {
    if (lastRejectedAt === undefined) {
      if (lastAcceptedAt === undefined) return skipped('No webhook has arrived.');
      return pass(`The last one was accepted at ${isoTime(lastAcceptedAt)}; none was rejected.`);
    }
    const evidence = {
      lastRejectedAt: isoTime(lastRejectedAt),
      lastAcceptedAt: lastAcceptedAt === undefined ? null : isoTime(lastAcceptedAt),
    };
    if (lastAcceptedAt !== undefined && lastAcceptedAt > lastRejectedAt) {
      return pass(
        `The last one was accepted; one was rejected before, at ${isoTime(lastRejectedAt)}.`,
        evidence,
      );
    }
    const reason = await findRejection(deps.database.queries, kind, lastRejectedAt);
    const hint =
      nextSteps[reason ?? ''] ?? 'Run "orgctx deliveries list --outcome rejected" for the reasons.';
    return fail(
      `Later edits do not appear because deliveries are rejected${reason === undefined ? '' : ` (${reason})`}.`,
      hint,
      { ...evidence, reason: reason ?? null },
    );
  },
};

/** Maximum age of the heartbeat of a running worker, in milliseconds. */
const overdueMs = 60_000;

/** The third cause of missing edits: the work fails that an accepted delivery starts. */
export const jobsCheck: ConnectionCheck = {
  id: 'jobs',
  title: 'Jobs',
  async run({ connection: { counts, errors }, deps: { database, clock } }) {
    const { pending, failed } = counts;
    const evidence = { pending, failed };
    const [newest] = errors;
    if (newest !== undefined || failed > 0) {
      return fail(
        `Later edits do not appear because jobs fail: ${newest?.message ?? `${failed} were given up.`}`,
        failed > 0
          ? 'Fix the cause, then run "orgctx jobs list" and "orgctx jobs retry".'
          : 'The work is tried again by itself, and goes on once the cause has ended.',
        evidence,
      );
    }
    const now = await readQueueTime(database.queries, clock);
    const workers = await listWorkers(database.queries);
    if (workers.some(({ seenAt }) => now - seenAt <= overdueMs)) {
      return pass(`No job fails; ${pending} are pending.`, evidence);
    }
    const message = 'No worker is running, so that no edit is mirrored.';
    return fail(message, 'Start "orgctx worker", or "orgctx serve" without --no-worker.', evidence);
  },
};
