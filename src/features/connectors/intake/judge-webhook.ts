import { InvalidInput, type Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ReceivedWebhook, WebhookEvent } from '../port.ts';
import type { Candidate } from './connections-of-account.ts';
import { secretMissing, secretUnreadable, signatureInvalid, timestampStale } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

/** A webhook that somebody's secret has verified. */
export interface JudgedWebhook {
  readonly event: WebhookEvent;
  /** Whose secret verified it; empty when only the deployment's did and nobody has connected the account. */
  readonly connections: readonly Candidate[];
  /**
   * What the sender is told once it is stored for `connections`, so that it comes again for those whose secret cannot be
   * read now: it may be theirs, too.
   */
  readonly unread: UnreadSecrets | undefined;
}

export interface UnreadSecrets {
  readonly connectionIds: readonly ConnectionId[];
  readonly fault: Unavailable;
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
  // Nothing is lost of what would be ignored anyway.
  const affected = event.ignored === undefined ? candidates.filter(({ following }) => following) : [];
  return { event, connections, unread: unreadOf(affected) };
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
  throw unreadOf(candidates)?.fault ?? signatureInvalid();
}

function unreadOf(candidates: readonly Candidate[]): UnreadSecrets | undefined {
  const unread = candidates.flatMap(({ connectionId, secret }) =>
    secret.kind === 'unreadable' ? [{ connectionId, error: secret.error }] : [],
  );
  const [first] = unread;
  if (first === undefined) return undefined;
  const connectionIds = unread.map(({ connectionId }) => connectionId);
  return { connectionIds, fault: secretUnreadable(connectionIds, first.error) };
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
