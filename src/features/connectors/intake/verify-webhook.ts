import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../../foundation/db/database.ts';
import type { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import { anyConnectionHasWebhookSecret } from '../connections/connection-store.ts';
import type {
  Connector,
  ConnectorDeployment,
  ReceivedWebhook,
  SettingValues,
  WebhookEvent,
} from '../port.ts';
import type { Candidate } from './candidates.ts';
import { secretMissing, secretUnreadable, signatureInvalid, timestampStale } from './webhook-refused.ts';

/** The connections of an account that a webhook names, or those with the secret that it names. */
export interface Named {
  readonly account: string | undefined;
  readonly candidates: readonly Candidate[];
}

/** A webhook that names nothing: only the deployment's secret may verify it. */
const nothing: Named = { account: undefined, candidates: [] };

/**
 * Verifies a webhook for each account that its bytes name, and reads it if it is verified for one of them (contract
 * section 3, Webhooks, (a) to (d)). Returns the event, the connections of its account, and those whose secret verified
 * it. @throws Unavailable, WebhookRefused, InvalidInput
 */
export async function readVerified(source: WebhookSource, webhook: ReceivedWebhook, named: readonly Named[]) {
  const all = named.length > 0 ? named : [nothing];
  const verify = (candidates: readonly Candidate[]) => verifiedConnections(source, webhook, candidates);
  const outcomes = await Promise.allSettled(all.map(({ candidates }) => verify(candidates)));
  const [first] = outcomes;
  if (first?.status === 'rejected' && outcomes.every(({ status }) => status === 'rejected'))
    throw first.reason as Error;
  const event = source.webhooks.read(webhook);
  const at = all.findIndex(({ account }) => account === event.account);
  const outcome = outcomes[at];
  if (outcome?.status === 'rejected') throw outcome.reason as Error;
  const { candidates } = all[at] ?? nothing;
  return { event, candidates, connections: outcome?.value ?? (await verify(candidates)) };
}

/** @throws WebhookRefused if an event is too old, or was sent in the future */
export function checkAge({ tolerance }: WebhookSource, { sentAt }: WebhookEvent, now: number): void {
  const ageMs = now - (sentAt ?? Number.NEGATIVE_INFINITY);
  if (ageMs > tolerance.pastMs || ageMs < -tolerance.futureMs) throw timestampStale(tolerance);
}

/** Returns whether a webhook names neither an account nor a secret, so that each secret of the kind may verify it. */
export function triesEverySecret({ webhooks }: WebhookSource, headers: IncomingHttpHeaders): boolean {
  return webhooks.peekSecret !== undefined && webhooks.peekSecret(headers) === undefined;
}

/**
 * Time of hashing after which other work of the process gets its turn, and the length of that turn, in milliseconds: a
 * flood of webhooks that name no secret takes a quarter of the event loop.
 */
const sliceMs = 5;
const pauseMs = 15;

/**
 * Returns the connections whose secret verifies a webhook (contract section 3, Webhooks, (a) and (b)). Each connection
 * is verified with its own secrets, or with the deployment's if it has none; the secret of one connection never
 * verifies for another. All connections are tried, even after one has verified, so that the time does not tell which
 * one did. Each new secret hashes the whole body, so the work is done in slices.
 * @throws Unavailable, WebhookRefused
 * @internal Tests call it alone.
 */
export async function verifiedConnections(
  { webhooks, webhookSecret }: WebhookSource,
  webhook: ReceivedWebhook,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  // A subscription that no connection has will never have a secret here.
  if (!candidates.some(hasSecret) && webhookSecret === undefined) {
    throw webhooks.peekSecret === undefined ? secretMissing() : signatureInvalid();
  }
  const verifier = webhooks.verifierOf(webhook.headers);
  if (verifier === undefined) throw signatureInvalid();
  const verify = oncePerSecret((secret) => verifier(webhook.body, secret));
  const ofDeployment = webhookSecret === undefined ? [] : [webhookSecret];
  if (candidates.length === 0) {
    if (!ofDeployment.some(verify)) throw signatureInvalid();
    return [];
  }
  const verified: Candidate[] = [];
  let started = performance.now();
  for (const candidate of candidates) {
    if (performance.now() - started > sliceMs) {
      await setTimeout(pauseMs);
      started = performance.now();
    }
    const secrets = hasSecret(candidate) ? candidate.secrets : ofDeployment;
    if (secrets.filter(verify).length > 0) verified.push(candidate);
  }
  if (verified.length > 0) return verified;
  // An unreadable secret may be the one that signed, so the signature cannot be called invalid.
  throw unreadOf(candidates)?.error ?? signatureInvalid();
}

/**
 * Connections whose secret cannot be read now; a webhook may be for them, too. The sender receives the error after the
 * webhook is stored for the others, so that it delivers again.
 */
export interface UnreadSecrets {
  readonly connectionIds: readonly ConnectionId[];
  readonly error: Unavailable;
}

/** Returns those of the candidates whose secret cannot be read. */
export function unreadOf(candidates: readonly Candidate[]): UnreadSecrets | undefined {
  const unread = candidates.filter(({ unreadable }) => unreadable.length > 0);
  const [first] = unread;
  if (first === undefined) return undefined;
  const connectionIds = unread.map(({ connectionId }) => connectionId);
  return { connectionIds, error: secretUnreadable(connectionIds, first.unreadable[0]) };
}

function hasSecret({ secrets, unreadable }: Candidate): boolean {
  return secrets.length > 0 || unreadable.length > 0;
}

/** Caches the result per secret: connections may share one, and each verification hashes the whole body. */
function oncePerSecret(verify: (secret: string) => boolean): (secret: string) => boolean {
  const known = new Map<string, boolean>();
  return (secret) => {
    const decision = known.get(secret) ?? verify(secret);
    known.set(secret, decision);
    return decision;
  };
}

/**
 * Returns a function that refuses, by its headers, a webhook that no secret can verify. The body names the
 * connections, so the order of contract section 3 is followed as far as possible: a missing secret is reported first.
 * @throws Unavailable `webhook_secret_missing`, WebhookRefused `signature_invalid`, what the database throws
 */
export function openAssertSigned(
  { queries }: Database,
  { kind, webhooks, webhookSecret }: WebhookSource,
): (headers: IncomingHttpHeaders) => Promise<void> {
  // Never cached. Concurrent requests share one query, because any unauthenticated caller can cause it.
  const isAnySaved = batch(
    async (requests: readonly undefined[]) => {
      const found = await anyConnectionHasWebhookSecret(queries, kind);
      return requests.map(() => found);
    },
    { maxSize: Number.POSITIVE_INFINITY },
  );
  return async (headers) => {
    if (webhooks.verifierOf(headers) !== undefined) return;
    const isByAccount = webhooks.peekSecret === undefined;
    if (isByAccount && webhookSecret === undefined && !(await isAnySaved(undefined))) throw secretMissing();
    throw signatureInvalid();
  };
}

/** A connector whose webhooks are received, with the settings of the deployment. */
export interface WebhookSource
  extends Pick<Connector, 'kind' | 'webhooks' | 'tasks'>,
    Pick<ConnectorDeployment, 'tolerance' | 'webhookSecret'> {}

export function webhookSources(
  connectors: readonly Connector[],
  values: SettingValues,
): readonly WebhookSource[] {
  return connectors.map(({ kind, webhooks, tasks, settings }) => {
    const { tolerance, webhookSecret } = settings.read(values);
    return { kind, webhooks, tasks, tolerance, webhookSecret };
  });
}
