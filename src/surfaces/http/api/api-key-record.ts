import { z } from 'zod';
import type { ApiKey } from '../../../features/identity/api-keys/api-key.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

export const apiKeyRecord = z
  .object({
    id: z.string(),
    prefix: z.string().describe('The first characters, to recognise the key by.'),
    name: z.string(),
    organization: z
      .object({ slug: z.string() })
      .nullable()
      .describe('The one that it opens; `null` opens every organization of its user.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyRecord = z.output<typeof apiKeyRecord>;

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  const { id, prefix, name, organization, createdAt, lastUsedAt, expiresAt } = key;
  return {
    id,
    prefix,
    name,
    organization: organization ?? null,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
  };
}
