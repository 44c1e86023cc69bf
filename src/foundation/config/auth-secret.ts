import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dataFolder } from '../kernel/data-folder.ts';
import { errorCode } from '../kernel/error-code.ts';
import { NotConfigured } from './config-error.ts';
import { makeDataFolder } from './make-data-folder.ts';

/**
 * Returns the AUTH_SECRET of a deployment that sets none (loopback with SQLite). It is created once in DATA_DIR with
 * mode 0600, and is the same for all concurrent processes.
 * @throws NotConfigured when the folder or file cannot be used
 */
export async function ensureAuthSecret(dataDir: string): Promise<string> {
  const path = dataFolder(dataDir).authSecret;
  makeDataFolder(dataDir);
  try {
    const secret = (await readSecret(path)) ?? (await createSecret(path));
    if (secret.length >= 32) return secret;
  } catch (error) {
    throw unusable(path, dataDir, error);
  }
  throw new NotConfigured(`${path} does not hold a secret of 32 characters. Restore it, or set AUTH_SECRET.`);
}

const denied: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS'];

function unusable(path: string, dataDir: string, cause: unknown): NotConfigured {
  const message = denied.includes(errorCode(cause))
    ? `The data folder ${dataDir} cannot be read and written by this account. Run orgctx as the account that owns it, ` +
      'correct its permissions, or choose another folder with --data-dir (DATA_DIR).'
    : `${path} cannot be read or created. Check DATA_DIR, or set AUTH_SECRET.`;
  return new NotConfigured(message, { cause });
}

/** Returns the stored AUTH_SECRET, or `undefined` if none was created. */
export function readAuthSecret(dataDir: string): Promise<string | undefined> {
  return readSecret(dataFolder(dataDir).authSecret);
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates the secret. The file is written completely under a temporary name and then linked: the link fails for all
 * processes but the first, and no process reads an incomplete file.
 */
async function createSecret(path: string): Promise<string> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}
