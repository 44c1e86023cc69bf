import { z } from 'zod';
import type { ApiKey } from '../../../features/identity/api-key.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

export const apiKeyRecord = z
  .object({
    id: z.string(),
    prefix: z.string().describe('The first characters, to recognise the key by.'),
    name: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyRecord = z.output<typeof apiKeyRecord>;

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  const { id, prefix, name, createdAt, lastUsedAt, expiresAt } = key;
  return {
    id,
    prefix,
    name,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
    expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
  };
}
