import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import {
  type ApiKeyId,
  newId,
  type OrganizationId,
  type RepositoryId,
  type UserId,
} from '../../../foundation/kernel/ids.ts';
import { checkDisplayName } from '../people/display-name.ts';
import { hashToken, newSecretToken } from '../secret-token.ts';
import type { ApiKey } from './api-key.ts';
import { insertApiKey } from './api-key-store.ts';

/** Prefix that distinguishes API keys from access tokens (contract, section 4). */
export const apiKeyPrefix = 'ock_';

/** Length of the displayed prefix of a key, in characters. It shows 48 of the key's 256 random bits. */
const shownPrefixLength = 12;

/** Maximum number of repositories that a key is limited to. */
export const maxRepositories = 100;

export interface NewApiKey {
  /** Default: a new one. A form that is sent twice names the same id twice, and creates one key. */
  readonly id?: ApiKeyId | undefined;
  readonly userId: UserId;
  /** Display name, 1 to 100 characters. */
  readonly name: string;
  /** Lifetime in milliseconds. Default: none, the key is valid until it is revoked. */
  readonly expiresIn?: number | undefined;
  /** The only organization that the key opens. Default: every organization of its user. */
  readonly organizationId?: OrganizationId | undefined;
  /** The only repositories that the key reads. It must be bound to their organization. */
  readonly repositories?: readonly RepositoryId[] | undefined;
}

export interface CreatedApiKey extends ApiKey {
  /** The key itself. Only its hash is stored, so it cannot be displayed again. */
  readonly apiKey: string;
}

/** Creates a key of a user. @throws InvalidInput for an invalid name; Conflict if there is a key with its id */
export async function createApiKey(
  queries: Queries,
  request: NewApiKey,
  clock: Clock,
): Promise<CreatedApiKey> {
  const now = clock();
  const apiKey = apiKeyPrefix + newSecretToken();
  const key = await insertApiKey(queries, {
    id: request.id ?? newId<ApiKeyId>(now),
    user_id: request.userId,
    organization_id: request.organizationId ?? null,
    repositories: request.repositories === undefined ? null : JSON.stringify(request.repositories),
    name: checkDisplayName(request.name, 'name'),
    prefix: apiKey.slice(0, shownPrefixLength),
    hash: hashToken(apiKey),
    expires_at: request.expiresIn === undefined ? null : now + request.expiresIn,
    last_used_at: null,
    revoked_at: null,
    created_at: now,
  });
  if (key === undefined) throw createdAlready();
  return { ...key, apiKey };
}

function createdAlready(): Conflict {
  return new Conflict(
    'conflict',
    'This key exists already, and was shown when it was created. If you do not have it, revoke it and create another one.',
  );
}
