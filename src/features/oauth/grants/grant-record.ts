import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import type { GrantSummary } from './grant-store.ts';

export const grantRecord = z
  .object({
    id: z.string(),
    client: z.object({ id: z.string(), name: z.string().describe('The name that the client gave itself.') }),
    organization: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .describe(
        'The organization of the grant; `null` if it gives no access: unbound, or the membership has ended.',
      ),
    scopes: z.array(z.string()).readonly(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('Last use, accurate to one minute.'),
    expiresAt: z.iso.datetime().describe('Expiry; use of the grant extends it.'),
  })
  .meta({ id: 'Grant' });

export type GrantRecord = z.output<typeof grantRecord>;

export function toGrantRecord(summary: GrantSummary): GrantRecord {
  const { organization = null, createdAt, lastUsedAt, expiresAt, ...grant } = summary;
  return {
    ...grant,
    organization,
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    expiresAt: isoTime(expiresAt),
  };
}
