import { randomBytes } from 'node:crypto';
import type { Secrets } from '../config/config.ts';
import { NotConfigured } from '../config/config-error.ts';
import type { Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { sealCanary } from './canary.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { canaryId } from './secret-place.ts';

/** The settings from which keys are derived. */
export type KeySettings = Pick<Secrets, 'authSecret' | 'connectionKey' | 'formerConnectionKeys'>;

/**
 * Creates the keyring without checking it against the canary. Stores salt and canary if the deployment has none yet.
 * @throws NotConfigured if no key is set
 */
export async function ensureKeyring(queries: Queries, secrets: KeySettings, clock: Clock): Promise<Keyring> {
  const texts = keyTexts(secrets);
  const salt = (await readSalt(queries)) ?? (await createSalt(queries, texts, clock()));
  return createKeyring(texts, salt);
}

/** Creates the keyring without checking it, or returns `undefined` if the deployment has no salt yet. */
export async function findKeyring(queries: Queries, secrets: KeySettings): Promise<Keyring | undefined> {
  const salt = await readSalt(queries);
  return salt === undefined ? undefined : createKeyring(keyTexts(secrets), salt);
}

type KeyTexts = readonly [string, ...string[]];

/**
 * Returns the texts of the keys, the sealing key first: CONNECTION_SECRETS_ENCRYPTION_KEY if set, otherwise
 * AUTH_SECRET. If both are set, AUTH_SECRET still opens secrets (contract section 2).
 */
function keyTexts({ connectionKey, authSecret, formerConnectionKeys }: KeySettings): KeyTexts {
  const [first, ...others] = [connectionKey, authSecret].filter((text) => text !== undefined);
  if (first === undefined) {
    throw new NotConfigured('Neither CONNECTION_SECRETS_ENCRYPTION_KEY nor AUTH_SECRET is set.');
  }
  return [first, ...others, ...formerConnectionKeys];
}

async function readSalt(queries: Queries): Promise<string | undefined> {
  const row = await queries
    .selectFrom('secret_keys')
    .select('salt')
    .where('id', '=', canaryId)
    .executeTakeFirst();
  return row?.salt;
}

/**
 * Stores a salt and canary unless another process was first, and returns the stored salt. It must never change:
 * otherwise all sealed secrets are lost.
 */
async function createSalt(queries: Queries, texts: KeyTexts, now: number): Promise<string> {
  const ownSalt = randomBytes(32).toString('base64url');
  const canary = sealCanary(createKeyring(texts, ownSalt));
  await queries
    .insertInto('secret_keys')
    .values({ id: canaryId, salt: ownSalt, canary, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const salt = await readSalt(queries);
  if (salt === undefined) throw new Error('The row with the salt does not exist.');
  return salt;
}
