import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import type { ApiKey } from './api-key.ts';

export const apiKeyRecord = z
  .object({
    id: z.string(),
    prefix: z.string().describe('The first characters of the key, for recognition.'),
    name: z.string(),
    organization: z
      .object({ slug: z.string() })
      .nullable()
      .describe('The only organization that the key opens; `null` for every organization of its user.'),
    repositories: z
      .array(z.string())
      .nullable()
      .describe('Ids of the only repositories that the key reads; `null` for the access of its user.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('Last use, accurate to one minute.'),
    expiresAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });

/** The response to a request that creates a key. */
export const newApiKeyRecord = apiKeyRecord
  .extend({ apiKey: z.string().describe('The key itself. It is not returned again.') })
  .meta({ id: 'CreatedApiKey' });

export type ApiKeyRecord = z.output<typeof apiKeyRecord>;

export function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  const { id, prefix, name, organization, repositories, createdAt, lastUsedAt, expiresAt } = key;
  return {
    id,
    prefix,
    name,
    organization: organization ?? null,
    repositories: repositories === undefined ? null : [...repositories],
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    expiresAt: isoTimeOrNull(expiresAt),
  };
}
