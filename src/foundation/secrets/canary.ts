import type { Queries } from '../db/database.ts';
import { readEnvelope } from './envelope.ts';
import type { Keyring } from './keyring.ts';
import { sealedWithOthers } from './sealed-secrets.ts';
import { canaryId } from './secret-place.ts';

// The canary is a known text sealed with the deployment's key, which tells of a key whether it is that one.
const place = { connectionId: canaryId, field: 'canary' } as const;
const text = 'orgctx';

/** `current`: the sealing key made it. `former`: a reading key did. `undefined`: none of them did. */
export type CanaryMaker = 'current' | 'former' | undefined;

export function sealCanary(keyring: Keyring): string {
  return keyring.seal(place, text);
}

export function canaryMaker(keyring: Keyring, canary: string): CanaryMaker {
  try {
    if (keyring.open(place, canary) !== text) return undefined;
  } catch {
    return undefined;
  }
  return readEnvelope(canary)?.keyId === keyring.keyId ? 'current' : 'former';
}

/** The saved one. */
export async function readCanary(queries: Queries): Promise<string> {
  const { canary } = await queries
    .selectFrom('secret_keys')
    .select('canary')
    .where('id', '=', canaryId)
    .executeTakeFirstOrThrow();
  return canary;
}

/**
 * Seals the canary with the current key, in the place of `former`. False where somebody else did meanwhile, and where
 * a secret is saved that these keys do not open.
 */
export async function renewCanary(queries: Queries, keyring: Keyring, former: string): Promise<boolean> {
  const result = await queries
    .updateTable('secret_keys')
    .set({ canary: sealCanary(keyring) })
    .where('id', '=', canaryId)
    .where('canary', '=', former)
    .where((e) => e.not(e.exists(sealedWithOthers(queries, keyring.keyIds).select('field'))))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
