import { z } from 'zod';
import type { GrantSummary } from '../../../features/oauth/grants/grant-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

export const grantRecord = z
  .object({
    id: z.string(),
    client: z.object({ id: z.string(), name: z.string().describe('As the client calls itself.') }),
    organization: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .describe(
        'The one it is bound to; `null` where it lets nobody in: unbound, or the membership has ended.',
      ),
    scopes: z.array(z.string()).readonly(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    expiresAt: z.iso.datetime().describe('Unless it is used until then.'),
  })
  .meta({ id: 'Grant' });

export type GrantRecord = z.output<typeof grantRecord>;

export function toGrantRecord(summary: GrantSummary): GrantRecord {
  const { organization = null, createdAt, lastUsedAt, expiresAt, ...grant } = summary;
  return {
    ...grant,
    organization,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
    expiresAt: isoTime(expiresAt),
  };
}
