import type { ApiKeyId } from '../../../foundation/kernel/ids.ts';

/** A key as its owner sees it; the key itself is known to them alone. Times are milliseconds since the epoch. */
export interface ApiKey {
  readonly id: ApiKeyId;
  /** The first characters, to recognise it by. */
  readonly prefix: string;
  readonly name: string;
  /** The one that it opens; without it every organization of its user. */
  readonly organization: { readonly slug: string } | undefined;
  readonly createdAt: number;
  /** To the minute. */
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number | undefined;
}
