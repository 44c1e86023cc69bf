import { NotConfigured } from '../config/config-error.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { canaryMaker, readCanary, renewCanary } from './canary.ts';
import { ensureKeyring, type KeySettings } from './ensure-keyring.ts';
import type { Keyring } from './keyring.ts';
import { countSealedWithOthers } from './sealed-secrets.ts';

/**
 * What the deployment's canary says of the keys of this process. `current`: the sealing key made it. `former`: a
 * reading key did, so rotation is due. `renewed`: no key fits, but none is missed.
 */
export type CanaryState = 'current' | 'former' | 'renewed';

export interface OpenedKeyring extends Keyring {
  readonly canary: CanaryState;
  /** Saved secrets that no key of this process opens. */
  readonly unreadable: number;
}

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
  const keyring = await ensureKeyring(queries, secrets, clock);
  for (let looks = 1; ; looks += 1) {
    const canary = await judgeCanary(queries, keyring);
    const unreadable = await countSealedWithOthers(queries, keyring.keyIds);
    if (canary !== undefined) return { ...keyring, canary, unreadable };
    // With nothing to miss, another process was faster to renew it: look at what that one made.
    if (unreadable > 0 || looks === maxLooks) throw wrongKey(unreadable);
  }
}

const maxLooks = 3;

async function judgeCanary(queries: Queries, keyring: Keyring): Promise<CanaryState | undefined> {
  const canary = await readCanary(queries);
  const maker = canaryMaker(keyring, canary);
  if (maker !== undefined) return maker;
  return (await renewCanary(queries, keyring, canary)) ? 'renewed' : undefined;
}

/** First what most often is the matter; what gives secrets up is not suggested here, where nobody looked yet. */
function wrongKey(unreadable: number): NotConfigured {
  return new NotConfigured(
    `${unreadable} saved connection secrets are encrypted with another key than the ones set here. Give backend and ` +
      'worker the CONNECTION_SECRETS_ENCRYPTION_KEY (or, where that is not used, the AUTH_SECRET) that they were saved ' +
      'with, or list it in CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. If it is lost, see "Connection secrets" in the ' +
      'README.',
  );
}
