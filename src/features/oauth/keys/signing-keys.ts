import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';

/** One key that signs access tokens, or did, or will. */
export interface SigningKey {
  /** The `kid` of tokens: the key's thumbprint (RFC 7638). */
  readonly id: string;
  readonly privateJwk: JWK;
  /** The newest key whose time has come signs; it is published before. */
  readonly signsFrom: number;
}

export interface SigningKeyDeps {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Every key that opens, the one that signs last first; and how many need another AUTH_SECRET. */
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

/** The key that signs now: of several processes that ask, each finds the same. */
export function currentKey(keys: readonly SigningKey[], now: number): SigningKey | undefined {
  return keys.find((key) => key.signsFrom <= now);
}

/** @param signsFrom ms since the epoch */
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

/** Deletes those that signed from before `signsFrom` on. */
export async function deleteSigningKeysBefore(queries: Queries, signsFrom: number): Promise<void> {
  await queries.deleteFrom('oauth_signing_keys').where('signs_from', '<', signsFrom).execute();
}

function placeOf(id: string): string {
  return `signing key ${id}`;
}
