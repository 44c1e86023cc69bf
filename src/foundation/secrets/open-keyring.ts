import { randomBytes } from 'node:crypto';
import type { Secrets } from '../config/config.ts';
import { NotConfigured } from '../config/config-error.ts';
import type { Database, Queries } from '../db/database.ts';
import type { SecretKeyRow } from '../db/tables.ts';
import type { Clock } from '../kernel/clock.ts';
import { createKeyring, type Keyring } from './keyring.ts';

/**
 * What the canary, a known text sealed with the deployment's key, says of the keys of this process. `current`: the
 * sealing key made it. `former`: a reading key did, so rotation is due. `renewed`: no key fits, but none is missed.
 */
export type CanaryState = 'current' | 'former' | 'renewed';

export interface OpenedKeyring extends Keyring {
  readonly canary: CanaryState;
  /** Saved secrets that no key of this process opens. */
  readonly unreadable: number;
}

/** What keys are made of. */
export type KeySettings = Pick<Secrets, 'authSecret' | 'connectionKey' | 'formerConnectionKeys'>;

const rowId = 'connections';
const canaryPlace = { connectionId: rowId, field: 'canary' };
const canaryText = 'orgctx';

/**
 * The keys of connection secrets, checked against the deployment's canary before the first secret is needed. The
 * first process of a deployment makes salt and canary, however many start at once.
 * @throws NotConfigured where secrets are saved that none of the configured keys opens, and the canary neither
 */
export async function openKeyring(
  database: Database,
  secrets: KeySettings,
  clock: Clock,
): Promise<OpenedKeyring> {
  const { queries } = database;
  for (let looks = 1; ; looks += 1) {
    const { keyring, row } = await loadKeyring(queries, secrets, clock);
    const canary = canaryOf(keyring, row) ?? (await renewCanary(queries, keyring, row.canary));
    const unreadable = await countUnreadable(queries, keyring);
    if (canary !== undefined) return { ...keyring, canary, unreadable };
    // With nothing to miss, another process was faster to renew it: look at what that one made.
    if (unreadable > 0 || looks === maxLooks) throw wrongKey(unreadable);
  }
}

const maxLooks = 3;

/** The keys as they are, whatever the canary says of them; for what mends a deployment whose key is lost. */
export async function loadKeyring(
  queries: Queries,
  secrets: KeySettings,
  clock: Clock,
): Promise<{ readonly keyring: Keyring; readonly row: SecretKeyRow }> {
  const texts = keyTexts(secrets);
  const row = (await readRow(queries)) ?? (await makeRow(queries, texts, clock()));
  return { keyring: createKeyring(texts, row.salt), row };
}

/** `undefined` where none of the keys made it. */
export function canaryOf(
  keyring: Keyring,
  row: Pick<SecretKeyRow, 'canary'>,
): 'current' | 'former' | undefined {
  try {
    if (keyring.open(canaryPlace, row.canary) !== canaryText) return undefined;
    return row.canary.split('.')[1] === keyring.keyId ? 'current' : 'former';
  } catch {
    return undefined;
  }
}

/**
 * Seals the canary with the current key, unless somebody else did meanwhile or a secret is saved that these keys do
 * not open. `undefined` then.
 */
export async function renewCanary(
  queries: Queries,
  keyring: Keyring,
  former: string,
): Promise<'renewed' | undefined> {
  const result = await queries
    .updateTable('secret_keys')
    .set({ canary: keyring.seal(canaryPlace, canaryText) })
    .where('id', '=', rowId)
    .where('canary', '=', former)
    .where((e) => e.not(e.exists(strangers(queries, keyring).select('field'))))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n ? 'renewed' : undefined;
}

async function countUnreadable(queries: Queries, keyring: Keyring): Promise<number> {
  const { count } = await strangers(queries, keyring)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Secrets that were sealed with a key that is not on the ring. */
function strangers(queries: Queries, { keyIds }: Keyring) {
  return queries.selectFrom('connection_secrets').where('key_id', 'not in', keyIds);
}

/** CONNECTION_SECRETS_ENCRYPTION_KEY seals where it is set; AUTH_SECRET stays a reading key then (contract section 2). */
function keyTexts(secrets: KeySettings): readonly [string, ...string[]] {
  const { connectionKey, authSecret, formerConnectionKeys } = secrets;
  const [first, ...others] = [connectionKey, authSecret].filter((text) => text !== undefined);
  if (first === undefined) {
    throw new NotConfigured('Neither CONNECTION_SECRETS_ENCRYPTION_KEY nor AUTH_SECRET is set.');
  }
  return [first, ...others, ...formerConnectionKeys];
}

function readRow(queries: Queries): Promise<SecretKeyRow | undefined> {
  return queries.selectFrom('secret_keys').selectAll().where('id', '=', rowId).executeTakeFirst();
}

/** The row of whoever is first: the salt must never change, or all that is sealed is lost. */
async function makeRow(
  queries: Queries,
  texts: readonly [string, ...string[]],
  now: number,
): Promise<SecretKeyRow> {
  const salt = randomBytes(32).toString('base64url');
  const canary = createKeyring(texts, salt).seal(canaryPlace, canaryText);
  await queries
    .insertInto('secret_keys')
    .values({ id: rowId, salt, canary, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await readRow(queries);
  if (row === undefined) throw new Error('the row of the keys vanished');
  return row;
}

function wrongKey(unreadable: number): NotConfigured {
  return new NotConfigured(
    `${unreadable} saved connection secrets are encrypted with another key than the ones set here. Give backend and ` +
      'worker the CONNECTION_SECRETS_ENCRYPTION_KEY (or, where that is not used, the AUTH_SECRET) that they were saved ' +
      'with, or list it in CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. If it is lost, run ' +
      '`orgctx secrets rotate --discard-unreadable` and save the credentials of each connection again.',
  );
}
