import { importJWK } from 'jose';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import {
  currentKey,
  makeSigningKey,
  readSigningKeys,
  type SigningKey,
  type SigningKeyDeps,
} from './signing-keys.ts';

type VerificationKey = Awaited<ReturnType<typeof importJWK>>;

/** The signing keys that this process has loaded. */
export interface KeySet {
  readonly keys: readonly SigningKey[];
  /** Returns the `kid` of the key that signs now. */
  signingKeyId(): string;
  verificationKey(kid: string): VerificationKey | undefined;
}

/** Reads the keys. Creates one if none can be unsealed, after a first start or a change of AUTH_SECRET. */
export async function loadKeySet(deps: SigningKeyDeps, log: Logger): Promise<KeySet> {
  let { keys, unreadable } = await readSigningKeys(deps);
  if (currentKey(keys, deps.clock()) === undefined) {
    if (unreadable > 0) {
      log.warn({ unreadable }, 'signing keys cannot be unsealed with this AUTH_SECRET; creating a new one');
    }
    await makeSigningKey(deps, deps.clock());
    ({ keys, unreadable } = await readSigningKeys(deps));
  }
  const verification = new Map<string, VerificationKey>();
  for (const { id, privateJwk } of keys) {
    const { kty, crv, x, y } = privateJwk;
    const publicJwk = { kty, crv, x, y } as typeof privateJwk;
    verification.set(id, await importJWK(publicJwk, 'ES256'));
  }
  return {
    keys,
    signingKeyId() {
      const signing = currentKey(keys, deps.clock()) ?? keys[0];
      if (signing === undefined) throw new Error('there is no signing key');
      return signing.id;
    },
    verificationKey: (kid) => verification.get(kid),
  };
}
