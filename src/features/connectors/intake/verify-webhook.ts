import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../../foundation/db/database.ts';
import { InvalidInput, type Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import { anyConnectionHasWebhookSecret } from '../connections/connection-store.ts';
import type { Connector, ReceivedWebhook, WebhookEvent, WebhookReader, WebhookTolerance } from '../port.ts';
import type { Candidate } from './candidates.ts';
import { secretMissing, secretUnreadable, signatureInvalid, timestampStale } from './webhook-refused.ts';

/** A webhook whose signature is verified. */
export interface VerifiedWebhook {
  readonly event: WebhookEvent;
  /**
   * Connections whose secret verified it. Empty if no connection has the account; then the deployment's secret
   * verified it.
   */
  readonly connections: readonly Candidate[];
  /**
   * Connections whose secret cannot be read now; the webhook may be for them, too. The sender receives the error after
   * the webhook is stored for `connections`, so that it delivers again.
   */
  readonly unread: UnreadSecrets | undefined;
}

export interface UnreadSecrets {
  readonly connectionIds: readonly ConnectionId[];
  readonly error: Unavailable;
}

/**
 * Reads a webhook that `connections` verified (contract section 3, Webhooks, (b) to (d)).
 * @throws WebhookRefused, InvalidInput
 */
export function readVerified(
  source: WebhookSource,
  webhook: ReceivedWebhook,
  { candidates, connections }: Readonly<Record<'candidates' | 'connections', readonly Candidate[]>>,
  now: number,
): VerifiedWebhook {
  const event = source.reader.read(webhook);
  const isByAccount = source.reader.peekSecret === undefined;
  if (isByAccount && connections.some(({ account }) => account !== event.account)) {
    throw new InvalidInput('The body contains more than one account id.');
  }
  const { pastMs, futureMs } = source.tolerance;
  const ageMs = now - (event.sentAt ?? Number.NEGATIVE_INFINITY);
  if (ageMs > pastMs || ageMs < -futureMs) throw timestampStale(source.tolerance);
  // An ignored event needs no second delivery, nor does one whose only secret was found among those of all connections.
  const isSettled = event.ignored !== undefined || triesEverySecret(source, webhook.headers);
  const affected = isSettled ? [] : candidates.filter(({ isConnected }) => isConnected);
  return { event, connections, unread: unreadOf(affected.filter((each) => !connections.includes(each))) };
}

/** Returns whether a webhook names neither an account nor a secret, so that each secret of the kind may verify it. */
export function triesEverySecret({ reader }: WebhookSource, headers: IncomingHttpHeaders): boolean {
  return reader.peekSecret !== undefined && reader.peekSecret(headers) === undefined;
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
 */
export async function verifiedConnections(
  { reader, deploymentSecret }: WebhookSource,
  webhook: ReceivedWebhook,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const saved = candidates.some(({ secrets }) => secrets.length > 0);
  // A subscription that no connection has will never have a secret here.
  if (!saved && deploymentSecret === undefined) {
    throw reader.peekSecret === undefined ? secretMissing() : signatureInvalid();
  }
  const verifier = reader.verifierOf(webhook.headers);
  if (verifier === undefined) throw signatureInvalid();
  const verify = oncePerSecret((secret) => verifier(webhook.body, secret));
  if (candidates.length === 0) {
    if (deploymentSecret === undefined || !verify(deploymentSecret)) throw signatureInvalid();
    return [];
  }
  const verified: Candidate[] = [];
  let started = performance.now();
  for (const candidate of candidates) {
    if (performance.now() - started > sliceMs) {
      await setTimeout(pauseMs);
      started = performance.now();
    }
    if (secretsOf(candidate, deploymentSecret).filter(verify).length > 0) verified.push(candidate);
  }
  if (verified.length > 0) return verified;
  // An unreadable secret may be the one that signed, so the signature cannot be called invalid.
  throw unreadOf(candidates)?.error ?? signatureInvalid();
}

function unreadOf(candidates: readonly Candidate[]): UnreadSecrets | undefined {
  const unread = candidates.flatMap(({ connectionId, secrets }) =>
    secrets
      .flatMap((secret) => (secret.kind === 'unreadable' ? { connectionId, error: secret.error } : []))
      .slice(0, 1),
  );
  const [first] = unread;
  if (first === undefined) return undefined;
  const connectionIds = unread.map(({ connectionId }) => connectionId);
  return { connectionIds, error: secretUnreadable(connectionIds, first.error) };
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

function secretsOf({ secrets }: Candidate, deploymentSecret: string | undefined): readonly string[] {
  if (secrets.length === 0) return deploymentSecret === undefined ? [] : [deploymentSecret];
  return secrets.flatMap((secret) => (secret.kind === 'own' ? secret.text : []));
}

/**
 * Returns a function that refuses, by its headers, a webhook that no secret can verify. The body names the
 * connections, so the order of contract section 3 is followed as far as possible: a missing secret is reported first.
 * @throws Unavailable `webhook_secret_missing`, WebhookRefused `signature_invalid`, what the database throws
 */
export function openAssertSigned(
  { queries }: Database,
  { kind, reader, deploymentSecret }: WebhookSource,
): (headers: IncomingHttpHeaders) => Promise<void> {
  // Never cached. Concurrent requests share one query, because any unauthenticated caller can cause it.
  const hasSecret = batch(
    async (requests: readonly undefined[]) => {
      const found = await anyConnectionHasWebhookSecret(queries, kind);
      return requests.map(() => found);
    },
    { maxSize: Number.POSITIVE_INFINITY },
  );
  return async (headers) => {
    if (reader.verifierOf(headers) !== undefined) return;
    const isByAccount = reader.peekSecret === undefined;
    if (isByAccount && deploymentSecret === undefined && !(await hasSecret(undefined))) throw secretMissing();
    throw signatureInvalid();
  };
}

/** A provider whose webhooks are received, with the settings of the deployment. */
export interface WebhookSource {
  /** The kind of connector; the last part of the path of its webhooks. */
  readonly kind: string;
  readonly reader: WebhookReader;
  readonly tasks: Connector['tasks'];
  readonly tolerance: WebhookTolerance;
  /** Secret for connections without their own; `undefined` if the deployment has none. */
  readonly deploymentSecret: string | undefined;
}

export function webhookSources(
  connectors: readonly Connector[],
  providerSettings: Readonly<Record<string, unknown>>,
): readonly WebhookSource[] {
  return connectors.map(({ kind, webhooks, tasks, settings }) => {
    const { tolerance, webhookSecret: deploymentSecret } = settings.read(providerSettings);
    return { kind, reader: webhooks, tasks, tolerance, deploymentSecret };
  });
}
