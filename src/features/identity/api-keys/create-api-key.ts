import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { type ApiKeyId, newId, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import { checkDisplayName } from '../people/display-name.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';
import type { ApiKey } from './api-key.ts';
import { insertApiKey } from './api-key-store.ts';

/** How a bearer token is known to be an API key and not an access token (contract, section 4). */
export const apiKeyPrefix = 'ock_';

/** Of the whole key, to recognise it by in lists: 48 of its 256 random bits. */
const shownCharacters = 12;

export interface NewApiKey {
  readonly userId: UserId;
  /** For people, 1 to 100 characters. */
  readonly name: string;
  /** Milliseconds from now; without it the key lives until it is revoked. */
  readonly expiresIn?: number | undefined;
  /** The one organization that it opens; without it every one of its user. */
  readonly organizationId?: OrganizationId | undefined;
}

export interface CreatedApiKey extends ApiKey {
  /** The key itself. Only its hash is stored, so this is the one time it can be shown. */
  readonly apiKey: string;
}

/** Creates a key of a user. @throws InvalidInput for a bad name. */
export async function createApiKey(
  queries: Queries,
  request: NewApiKey,
  clock: Clock,
): Promise<CreatedApiKey> {
  const now = clock();
  const apiKey = apiKeyPrefix + newSecretToken();
  const key = await insertApiKey(queries, {
    id: newId<ApiKeyId>(now),
    user_id: request.userId,
    organization_id: request.organizationId ?? null,
    name: checkDisplayName(request.name, 'name'),
    prefix: apiKey.slice(0, shownCharacters),
    hash: hashToken(apiKey),
    expires_at: request.expiresIn === undefined ? null : now + request.expiresIn,
    last_used_at: null,
    revoked_at: null,
    created_at: now,
  });
  return { ...key, apiKey };
}
