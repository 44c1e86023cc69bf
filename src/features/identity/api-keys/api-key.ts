import type { ApiKeyId, RepositoryId } from '../../../foundation/kernel/ids.ts';

/** An API key as its owner sees it, without the secret. Times are in milliseconds since the epoch. */
export interface ApiKey {
  readonly id: ApiKeyId;
  /** The first characters of the key, for recognition. */
  readonly prefix: string;
  readonly name: string;
  /** The only organization that the key opens. Default: every organization of its user. */
  readonly organization: { readonly slug: string } | undefined;
  /** The only repositories that the key reads. Default: it has the access of its user. */
  readonly repositories: readonly RepositoryId[] | undefined;
  readonly createdAt: number;
  /** Last use, accurate to one minute. */
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number | undefined;
}
