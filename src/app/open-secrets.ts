import { ensureAuthSecret } from '../foundation/config/auth-secret.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { ensureKeyring, type KeySettings } from '../foundation/secrets/ensure-keyring.ts';
import type { Keyring } from '../foundation/secrets/keyring.ts';
import { type OpenedKeyring, openKeyring } from '../foundation/secrets/open-keyring.ts';
import { createSealer, type Sealer } from '../foundation/secrets/sealer.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import type { Settings } from './open-database.ts';

/**
 * The keys of connection secrets, checked at start: a process with another key than the deployment's says so now and
 * not at the first secret. @throws NotConfigured naming the settings
 */
export async function openSecrets(settings: Settings, database: Database): Promise<OpenedKeyring> {
  return openKeyring(database, await keySettings(settings), systemClock);
}

/** The same keys unchecked, for a command that mends a deployment whose key is lost. */
export async function uncheckedSecrets(settings: Settings, database: Database): Promise<Keyring> {
  return ensureKeyring(database.queries, await keySettings(settings), systemClock);
}

/** The text of AUTH_SECRET: as it is set, or the one that loopback deployments on SQLite make for themselves. */
export async function authSecretOf({ config, secrets }: Settings): Promise<string> {
  return secrets.authSecret ?? ensureAuthSecret(config.dataDir);
}

/** For all that the authorization server stores, and its signing keys: the same in the server and the worker. */
export function oauthSealer(authSecret: string): Sealer {
  return createSealer(authSecret, 'orgctx/oauth/v1');
}

async function keySettings(settings: Settings): Promise<KeySettings> {
  return { ...settings.secrets, authSecret: await authSecretOf(settings) };
}

/** Says what an operator should know of the keys. */
export function logKeyState({ canary, unreadable, keyId }: OpenedKeyring, log: Logger): void {
  if (canary === 'former') {
    log.warn(
      { keyId },
      'connection secrets have a new key: once every process has it, run orgctx secrets rotate',
    );
  }
  if (canary === 'renewed') {
    log.info({ keyId }, 'connection secrets have a new key; none is saved that needs the former one');
  }
  if (unreadable > 0) log.warn({ unreadable }, 'saved connection secrets need a key that is not set here');
}
