import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { ReceivedWebhook, WebhookEvent } from '../port.ts';
import type { Candidate } from './connections-of-account.ts';
import { secretMissing, secretUnreadable, signatureInvalid, timestampStale } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

/** A webhook that somebody's secret has verified. */
export interface JudgedWebhook {
  readonly event: WebhookEvent;
  /** Whose secret verified it; empty when only the deployment's did and nobody has connected the account. */
  readonly connections: readonly Candidate[];
}

/**
 * Contract section 3, Webhooks, (a) to (d). Each connection is judged by its own secret, or by the deployment's where
 * it has none; a secret of one never speaks for another. All are tried, whatever the first says.
 * @throws Unavailable, WebhookRefused, InvalidInput
 */
export function judgeWebhook(
  source: WebhookSource,
  webhook: ReceivedWebhook,
  candidates: readonly Candidate[],
  now: number,
): JudgedWebhook {
  const connections = verifiedBy(source, webhook, candidates);
  const event = source.reader.read(webhook.body);
  if (connections.some(({ account }) => account !== event.account)) {
    throw new InvalidInput('The body names its account in more than one way.');
  }
  const { sentAt } = event;
  if (sentAt === undefined || Math.abs(now - sentAt) > source.toleranceMs) {
    throw timestampStale(source.toleranceMs);
  }
  return { event, connections };
}

function verifiedBy(
  { reader, deploymentSecret }: WebhookSource,
  webhook: ReceivedWebhook,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const saved = candidates.some(({ secret }) => secret.kind !== 'none');
  if (!saved && deploymentSecret === undefined) throw secretMissing();
  const verifier = reader.verifierOf(webhook.headers);
  if (verifier === undefined) throw signatureInvalid();
  const verify = onceForEach((secret) => verifier(webhook.body, secret));
  if (candidates.length === 0) {
    if (deploymentSecret === undefined || !verify(deploymentSecret)) throw signatureInvalid();
    return [];
  }
  const verified = candidates.filter((candidate) => {
    const secret = secretOf(candidate, deploymentSecret);
    return secret !== undefined && verify(secret);
  });
  if (verified.length > 0) return verified;
  // The signature may well be good: only who is able to tell may say that it is not.
  for (const { connectionId, secret } of candidates) {
    if (secret.kind === 'unreadable') throw secretUnreadable(connectionId, secret.error);
  }
  throw signatureInvalid();
}

/** Connections may share a secret: what costs a pass over the whole body is done once for each that there is. */
function onceForEach(verify: (secret: string) => boolean): (secret: string) => boolean {
  const known = new Map<string, boolean>();
  return (secret) => {
    const verdict = known.get(secret) ?? verify(secret);
    known.set(secret, verdict);
    return verdict;
  };
}

function secretOf({ secret }: Candidate, deploymentSecret: string | undefined): string | undefined {
  if (secret.kind === 'own') return secret.text;
  return secret.kind === 'none' ? deploymentSecret : undefined;
}
