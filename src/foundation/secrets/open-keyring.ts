import { NotConfigured } from '../config/config-error.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { findCanaryKey, readCanary, renewCanary } from './canary.ts';
import { ensureKeyring, type KeySettings } from './ensure-keyring.ts';
import type { Keyring } from './keyring.ts';
import { countSealedWithOtherKeys } from './sealed-secrets.ts';

/**
 * The result of checking the keys of this process against the deployment's canary. `current`: the sealing key sealed
 * it. `former`: a former key sealed it, so rotation is due. `renewed`: no key opened it, but no stored secret needs
 * another key, so it was replaced.
 */
export type CanaryState = 'current' | 'former' | 'renewed';

export interface OpenedKeyring extends Keyring {
  readonly canary: CanaryState;
  /** Number of stored secrets that no key of this process opens. */
  readonly unreadable: number;
}

/**
 * Opens the keys of connection secrets and checks them against the deployment's canary before the first secret is
 * needed. The first process of a deployment creates salt and canary; concurrent starts are safe.
 * @throws NotConfigured if secrets are stored that none of the configured keys opens, nor the canary
 */
export async function openKeyring(
  database: Database,
  secrets: KeySettings,
  clock: Clock,
): Promise<OpenedKeyring> {
  const { queries } = database;
  const keyring = await ensureKeyring(queries, secrets, clock);
  for (let attempt = 1; ; attempt += 1) {
    const canary = await checkCanary(queries, keyring);
    const unreadable = await countSealedWithOtherKeys(queries, keyring.keyIds);
    if (canary !== undefined) return { ...keyring, canary, unreadable };
    // No secret needs another key, so another process has renewed the canary first: check that one.
    if (unreadable > 0 || attempt === maxAttempts) throw wrongKey(unreadable);
  }
}

const maxAttempts = 3;

async function checkCanary(queries: Queries, keyring: Keyring): Promise<CanaryState | undefined> {
  const canary = await readCanary(queries);
  const key = findCanaryKey(keyring, canary);
  if (key !== undefined) return key;
  return (await renewCanary(queries, keyring, canary)) ? 'renewed' : undefined;
}

/** Names the most frequent cause first. Does not suggest to discard secrets, because nobody has examined them yet. */
function wrongKey(unreadable: number): NotConfigured {
  return new NotConfigured(
    `${unreadable} saved connection secrets are encrypted with a key that is not configured here. Set backend and ` +
      'worker to the CONNECTION_SECRETS_ENCRYPTION_KEY (or, if that is not used, the AUTH_SECRET) that they were saved ' +
      'with, or list it in CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. If it is lost, see "Connection secrets" in ' +
      'docs/operations.md.',
  );
}
