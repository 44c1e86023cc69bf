import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { NotConfigured } from '../../foundation/config/config-error.ts';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import type { CommandContext } from '../frame/context.ts';
import { parseJson } from '../parse-json.ts';
import { withFileLock } from './stored-login-lock.ts';

const loginShape = z.object({
  email: z.string(),
  /** Chosen while signing in; the grant is bound to it. */
  organization: z.object({ slug: z.string(), name: z.string() }),
  scopes: z.array(z.string()),
  accessToken: z.string(),
  /** By this machine's clock, milliseconds since the epoch. */
  accessTokenExpiresAt: z.number(),
  /** How long it was good for when it came, in milliseconds. */
  accessTokenLifetime: z.number(),
  refreshToken: z.string(),
});

/** What `orgctx login` keeps of one service. */
export type StoredLogin = z.output<typeof loginShape>;

const fileShape = z.object({ version: z.literal(1), logins: z.record(z.string(), loginShape) });

/** The logins of this account on this machine, by the origin of their service. */
export interface LoginStore {
  readonly file: string;
  find(origin: string): Promise<StoredLogin | undefined>;
  origins(): Promise<readonly string[]>;
  /**
   * Replaces the login of one service by what `work` makes of it; `undefined` removes it. One process at a time:
   * `work` sees what the one before it saved, and what it answers is on the disk when this resolves.
   */
  change(
    origin: string,
    work: (current: StoredLogin | undefined) => Promise<StoredLogin | undefined>,
  ): Promise<StoredLogin | undefined>;
}

type Logins = Readonly<Record<string, StoredLogin>>;

/** In `orgctx/credentials.json` of the user's config folder, for this account alone. */
export function openLoginStore(context: CommandContext): LoginStore {
  const file = credentialsFile(context);
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

/** XDG Base Directory Specification: a relative XDG_CONFIG_HOME does not count. */
function credentialsFile({ env, homeDir }: CommandContext): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(given) ? given : join(homeDir, '.config'), 'orgctx', 'credentials.json');
}

function ownEntry(logins: Logins, origin: string): StoredLogin | undefined {
  return Object.hasOwn(logins, origin) ? logins[origin] : undefined;
}

function replaced(logins: Logins, origin: string, next: StoredLogin | undefined): Logins {
  const others = Object.entries(logins).filter(([name]) => name !== origin);
  return Object.fromEntries(next === undefined ? others : [...others, [origin, next]]);
}

/** @throws NotConfigured for a file that cannot be read or is none of ours: it is not overwritten unseen */
async function readLogins(file: string, warn: (line: string) => void): Promise<Logins> {
  const content = await readOwn(file, warn);
  if (content === undefined) return {};
  const result = fileShape.safeParse(parseJson(content));
  if (result.success) return result.data.logins;
  throw new NotConfigured(
    `${file} does not hold logins of this version of orgctx. Delete it, then run orgctx login.`,
  );
}

async function readOwn(file: string, warn: (line: string) => void): Promise<string | undefined> {
  try {
    await keepPrivate(file, warn);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unfit(file, error);
  }
}

/** Whoever opened it before knows the tokens: closing it is not enough, so it is said. */
async function keepPrivate(file: string, warn: (line: string) => void): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  await chmod(file, 0o600);
  warn(
    `warning: other accounts of this machine could read ${file}; now only yours can. ` +
      'If others use this machine, run orgctx logout and orgctx login.',
  );
}

async function ownFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
  } catch (error) {
    throw unfit(folder, error);
  }
}

/** Whole or not at all, and on the disk: a used-up refresh token that came back after a power cut would end the login. */
async function writeLogins(file: string, logins: Logins): Promise<void> {
  const draft = `${file}.new`;
  try {
    // Left by a process that was killed, perhaps with other rights; only the holder of the lock writes here.
    await rm(draft, { force: true });
    const content = `${JSON.stringify({ version: 1, logins }, undefined, 2)}\n`;
    await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    throw unfit(file, error);
  }
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

function unfit(path: string, cause: unknown): NotConfigured {
  const reason = errorCode(cause) ?? 'unknown';
  return new NotConfigured(
    `${path} cannot be read or written (${reason}). Mend it, or set XDG_CONFIG_HOME.`,
    {
      cause,
    },
  );
}
