import { randomBytes } from 'node:crypto';
import type { Secrets } from '../config/config.ts';
import { NotConfigured } from '../config/config-error.ts';
import type { Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { sealCanary } from './canary.ts';
import { createKeyring, type Keyring } from './keyring.ts';
import { canaryId } from './secret-place.ts';

/** What keys are made of. */
export type KeySettings = Pick<Secrets, 'authSecret' | 'connectionKey' | 'formerConnectionKeys'>;

/**
 * The keys as they are, whatever the canary says of them; where a deployment has none yet, they are made.
 * @throws NotConfigured where no key is set
 */
export async function ensureKeyring(queries: Queries, secrets: KeySettings, clock: Clock): Promise<Keyring> {
  const texts = keyTexts(secrets);
  const salt = (await readSalt(queries)) ?? (await makeSalt(queries, texts, clock()));
  return createKeyring(texts, salt);
}

/** The same, but `undefined` where a deployment has none yet. */
export async function findKeyring(queries: Queries, secrets: KeySettings): Promise<Keyring | undefined> {
  const salt = await readSalt(queries);
  return salt === undefined ? undefined : createKeyring(keyTexts(secrets), salt);
}

type KeyTexts = readonly [string, ...string[]];

/** CONNECTION_SECRETS_ENCRYPTION_KEY seals where it is set; AUTH_SECRET stays a reading key then (contract section 2). */
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

/** The salt of whoever is first: it must never change, or all that is sealed is lost. */
async function makeSalt(queries: Queries, texts: KeyTexts, now: number): Promise<string> {
  const mine = randomBytes(32).toString('base64url');
  const canary = sealCanary(createKeyring(texts, mine));
  await queries
    .insertInto('secret_keys')
    .values({ id: canaryId, salt: mine, canary, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const salt = await readSalt(queries);
  if (salt === undefined) throw new Error('the row of the keys vanished');
  return salt;
}
