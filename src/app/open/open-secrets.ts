import { ensureAuthSecret } from '../../foundation/config/auth-secret.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { ensureKeyring, type KeySettings } from '../../foundation/secrets/ensure-keyring.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import { type OpenedKeyring, openKeyring } from '../../foundation/secrets/open-keyring.ts';
import { createSealer, type Sealer } from '../../foundation/secrets/sealer.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Settings } from './open-database.ts';

/**
 * Opens and checks the keys of connection secrets, so that a process with a wrong key fails at start and not at the
 * first secret. @throws NotConfigured naming the settings
 */
export async function openSecrets(settings: Settings, database: Database): Promise<OpenedKeyring> {
  return openKeyring(database, await keySettings(settings), systemClock);
}

/** Opens the keys without the check, for the command that repairs a deployment whose key is lost. */
export async function uncheckedSecrets(settings: Settings, database: Database): Promise<Keyring> {
  return ensureKeyring(database.queries, await keySettings(settings), systemClock);
}

/** Returns AUTH_SECRET, or the secret that loopback deployments on SQLite generate. */
export async function authSecretOf({ config, secrets }: Settings): Promise<string> {
  return secrets.authSecret ?? ensureAuthSecret(config.dataDir);
}

/**
 * Creates the sealer of the data and signing keys of the authorization server; the same in the server and the worker.
 */
export function oauthSealer(authSecret: string): Sealer {
  return createSealer(authSecret, 'orgctx/oauth/v1');
}

async function keySettings(settings: Settings): Promise<KeySettings> {
  return { ...settings.secrets, authSecret: await authSecretOf(settings) };
}

/** Logs the state of the keys for the operator. */
export function logKeyState({ canary, unreadable, keyId }: OpenedKeyring, log: Logger): void {
  if (canary === 'former') {
    log.warn(
      { keyId },
      'connection secrets have a new key; run "orgctx secrets rotate" once every process uses it',
    );
  }
  if (canary === 'renewed') {
    log.info({ keyId }, 'connection secrets have a new key; no saved secret needs the previous one');
  }
  if (unreadable > 0)
    log.warn(
      { unreadable },
      'some connection secrets need a key that is not configured here; run "orgctx doctor"',
    );
}
