import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';

/** A past, current or future key for access token signatures. */
export interface SigningKey {
  /** The `kid` of tokens: the key's thumbprint (RFC 7638). */
  readonly id: string;
  readonly privateJwk: JWK;
  /**
   * Start of the signing period, in milliseconds since the epoch. The newest key that has started signs; it is
   * published earlier.
   */
  readonly signsFrom: number;
}

export interface SigningKeyDeps {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Returns every key that can be unsealed, newest first, and the number of keys sealed with another AUTH_SECRET. */
export async function readSigningKeys({
  queries,
  sealer,
}: Pick<SigningKeyDeps, 'queries' | 'sealer'>): Promise<{ keys: readonly SigningKey[]; unreadable: number }> {
  const rows = await queries
    .selectFrom('oauth_signing_keys')
    .selectAll()
    .orderBy('signs_from', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const keys = rows.flatMap((row): readonly SigningKey[] => {
    const text = sealer.open(placeOf(row.id), row.sealed_jwk);
    return text === undefined
      ? []
      : [{ id: row.id, privateJwk: JSON.parse(text) as JWK, signsFrom: row.signs_from }];
  });
  return { keys, unreadable: rows.length - keys.length };
}

/** Returns the key that signs now. The result is the same in every process. */
export function currentKey(keys: readonly SigningKey[], now: number): SigningKey | undefined {
  return keys.find((key) => key.signsFrom <= now);
}

/** Creates and stores a key. @param signsFrom start of its signing period, in milliseconds since the epoch */
export async function makeSigningKey(deps: SigningKeyDeps, signsFrom: number): Promise<void> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const privateJwk = await exportJWK(privateKey);
  const id = await calculateJwkThumbprint(privateJwk);
  await deps.queries
    .insertInto('oauth_signing_keys')
    .values({
      id,
      sealed_jwk: deps.sealer.seal(placeOf(id), JSON.stringify(privateJwk)),
      signs_from: signsFrom,
      created_at: deps.clock(),
    })
    .execute();
}

/** Deletes the keys whose signing period started before `signsFrom`. */
export async function deleteSigningKeysBefore(queries: Queries, signsFrom: number): Promise<void> {
  await queries.deleteFrom('oauth_signing_keys').where('signs_from', '<', signsFrom).execute();
}

function placeOf(id: string): string {
  return `signing key ${id}`;
}
