import type { Queries } from '../db/database.ts';
import { readEnvelope } from './envelope.ts';
import type { Keyring } from './keyring.ts';
import { sealedWithOtherKeys } from './sealed-secrets.ts';
import { canaryId } from './secret-place.ts';

// The canary is a known text sealed with the deployment's key. It shows whether a key is that one.
const place = { connectionId: canaryId, field: 'canary' } as const;
const text = 'orgctx';

/**
 * The key that sealed the canary. `current`: the sealing key. `former`: a former key. `undefined`: none of the
 * keyring.
 */
export type CanaryKey = 'current' | 'former' | undefined;

export function sealCanary(keyring: Keyring): string {
  return keyring.seal(place, text);
}

export function findCanaryKey(keyring: Keyring, canary: string): CanaryKey {
  try {
    if (keyring.open(place, canary) !== text) return undefined;
  } catch {
    return undefined;
  }
  return readEnvelope(canary)?.keyId === keyring.keyId ? 'current' : 'former';
}

/** Reads the stored canary. */
export async function readCanary(queries: Queries): Promise<string> {
  const { canary } = await queries
    .selectFrom('secret_keys')
    .select('canary')
    .where('id', '=', canaryId)
    .executeTakeFirstOrThrow();
  return canary;
}

/**
 * Replaces the canary `former` with one sealed by the current key. Returns false if another process has replaced it
 * meanwhile, or if a secret is stored that these keys cannot open.
 */
export async function renewCanary(queries: Queries, keyring: Keyring, former: string): Promise<boolean> {
  const result = await queries
    .updateTable('secret_keys')
    .set({ canary: sealCanary(keyring) })
    .where('id', '=', canaryId)
    .where('canary', '=', former)
    .where((e) => e.not(e.exists(sealedWithOtherKeys(queries, keyring.keyIds).select('field'))))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
