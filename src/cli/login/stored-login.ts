import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { NotConfigured } from '../../foundation/config/config-error.ts';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { CommandContext } from '../frame/context.ts';
import { userConfigFolder } from '../frame/user-config-folder.ts';
import { withFileLock } from './stored-login-lock.ts';

const loginShape = z.object({
  email: z.string(),
  /** The organization that was chosen during the sign-in; the grant is bound to it. */
  organization: z.object({ slug: z.string(), name: z.string() }),
  scopes: z.array(z.string()),
  accessToken: z.string(),
  /** Expiry by the clock of this machine, in milliseconds since the epoch. */
  accessTokenExpiresAt: z.number(),
  /** Lifetime of the access token when it was issued, in milliseconds. */
  accessTokenLifetime: z.number(),
  refreshToken: z.string(),
  /**
   * The data folder of the service if `quickstart` signed in on its host. Only the server of the folder gets tokens.
   */
  dataDir: z.string().optional(),
});

/** The login at one service that `orgctx login` stores. */
export type StoredLogin = z.output<typeof loginShape>;

const fileShape = z.object({ version: z.literal(1), logins: z.record(z.string(), loginShape) });

/** The logins of this account on this machine, by the origin of their service. */
export interface LoginStore {
  readonly file: string;
  find(origin: string): Promise<StoredLogin | undefined>;
  origins(): Promise<readonly string[]>;
  /**
   * Replaces the login of one service by the result of `work`; `undefined` removes it. Serialized between processes:
   * `work` receives the last saved login, and its result is on the disk when the promise resolves.
   */
  change(
    origin: string,
    work: (current: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined>;
}

type Logins = Readonly<Record<string, StoredLogin>>;

/** Opens the store in `orgctx/credentials.json` of the user's config folder, readable by this account only. */
export function openLoginStore(context: CommandContext): LoginStore {
  const file = join(userConfigFolder(context), 'credentials.json');
  const warn = context.terminal.note;
  return {
    file,
    find: async (origin) => ownEntry(await readLogins(file, warn), origin),
    origins: async () => Object.keys(await readLogins(file, warn)),
    change: async (origin, work) => {
      await ownFolder(file);
      return withFileLock(join(dirname(file), 'credentials.lock'), context.signal, async () => {
        const logins = await readLogins(file, warn);
        const current = ownEntry(logins, origin);
        const next = await work(current);
        if (next !== current) await writeLogins(file, replaced(logins, origin, next));
        return next;
      });
    },
  };
}

function ownEntry(logins: Logins, origin: string): StoredLogin | undefined {
  return Object.hasOwn(logins, origin) ? logins[origin] : undefined;
}

function replaced(logins: Logins, origin: string, next: StoredLogin | undefined): Logins {
  const others = Object.entries(logins).filter(([name]) => name !== origin);
  return Object.fromEntries(next === undefined ? others : [...others, [origin, next]]);
}

/**
 * Reads the logins. @throws NotConfigured for a file that is unreadable or has another format; it is not overwritten
 */
async function readLogins(file: string, warn: (line: string) => void): Promise<Logins> {
  const content = await readOwn(file, warn);
  if (content === undefined) return {};
  const result = fileShape.safeParse(parseJson(content));
  if (result.success) return result.data.logins;
  throw new NotConfigured(
    `${file} does not contain logins of this version of orgctx. Delete it, then run "orgctx login".`,
  );
}

async function readOwn(file: string, warn: (line: string) => void): Promise<string | undefined> {
  try {
    await ensurePrivate(file, warn);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unusable(file, error);
  }
}

/** Restricts the file to this account. Warns, because other accounts may already have read the tokens. */
async function ensurePrivate(file: string, warn: (line: string) => void): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  await chmod(file, 0o600);
  warn(
    `warning: other accounts of this machine could read ${file}. Its permissions are now fixed. ` +
      'If other people use this machine, run "orgctx logout" and "orgctx login".',
  );
}

async function ownFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Writes the logins atomically and durably: restoring a used refresh token after a power failure would end the login.
 */
async function writeLogins(file: string, logins: Logins): Promise<void> {
  const draft = `${file}.new`;
  try {
    // Removes the draft of a killed process, which may have other permissions. Only the holder of the lock writes
    // here.
    await rm(draft, { force: true });
    const content = `${JSON.stringify({ version: 1, logins }, undefined, 2)}\n`;
    await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unusable(file, error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function unusable(path: string, cause: unknown): NotConfigured {
  const reason = errorCode(cause) ?? 'unknown';
  return new NotConfigured(
    `${path} cannot be read or written (${reason}). Check its permissions, or set XDG_CONFIG_HOME.`,
    {
      cause,
    },
  );
}
