import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../../foundation/db/database.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import { anyConnectionHasWebhookSecret } from '../connections/connection-store.ts';
import { secretMissing, signatureInvalid } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

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
