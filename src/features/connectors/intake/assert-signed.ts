import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../../foundation/db/database.ts';
import { gather } from '../../../foundation/kernel/gather.ts';
import { someConnectionHasWebhookSecret } from '../connections/connection-store.ts';
import { secretMissing, signatureInvalid } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

/**
 * Refuses by its headers what no secret can verify. Which connections it is about stands in the body, so the order of
 * contract section 3 is kept as far as it can be: where there is no secret at all, that is what is said first.
 * @throws Unavailable `webhook_secret_missing`, WebhookRefused `signature_invalid`, what the database throws
 */
export function openAssertSigned(
  { queries }: Database,
  { reader, deploymentSecret }: WebhookSource,
): (headers: IncomingHttpHeaders) => Promise<void> {
  // Never cached, and yet one query for all who ask at once: anybody may ask.
  const someSecret = gather(
    async (asked: readonly undefined[]) => {
      const there = await someConnectionHasWebhookSecret(queries, reader.source);
      return asked.map(() => there);
    },
    { largest: Number.POSITIVE_INFINITY },
  );
  return async (headers) => {
    if (reader.verifierOf(headers) !== undefined) return;
    if (deploymentSecret === undefined && !(await someSecret(undefined))) throw secretMissing();
    throw signatureInvalid();
  };
}
