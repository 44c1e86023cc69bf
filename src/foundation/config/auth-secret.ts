import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dataFolder } from '../kernel/data-folder.ts';
import { errorCode } from '../kernel/error-code.ts';
import { NotConfigured } from './config-error.ts';

/**
 * The AUTH_SECRET of a deployment that sets none (loopback with SQLite): made once in DATA_DIR with mode 0600, the
 * same for every process that asks, however many ask at once. @throws NotConfigured when the folder or file is unfit
 */
export async function ensureAuthSecret(dataDir: string): Promise<string> {
  const path = dataFolder(dataDir).authSecret;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const secret = (await readSecret(path)) ?? (await makeSecret(path));
    if (secret.length >= 32) return secret;
  } catch (error) {
    throw new NotConfigured(`${path} cannot be read or made. Check DATA_DIR, or set AUTH_SECRET.`, {
      cause: error,
    });
  }
  throw new NotConfigured(`${path} does not hold a secret of 32 characters. Restore it, or set AUTH_SECRET.`);
}

/** The same where it is there; `undefined` where none was made. */
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

/** Written whole beside its place, then linked there: the link fails for all but the first, and none reads a half. */
async function makeSecret(path: string): Promise<string> {
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
