import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';

const pollMs = 50;
/** Longer than any holder works: a refresh with its second try takes 40 s at most. */
const abandonedMs = 60_000;
const longestWaitMs = 90_000;
const longestBreakMs = 10_000;

/**
 * Runs `work` while no other process runs it under the same file. A lock whose process has gone, or that is older
 * than any work takes, is broken.
 * @throws Unavailable when it does not come free in 90 s; the reason of `signal`
 */
export async function withFileLock<Result>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const owner = `${process.pid} ${hostname()} ${randomBytes(12).toString('hex')}`;
  await take(file, owner, signal);
  try {
    return await work();
  } finally {
    // It may have been broken meanwhile (this machine slept): another's lock stays.
    if ((await ownerOf(file)) === owner) await rm(file, { force: true });
  }
}

async function take(file: string, owner: string, signal: AbortSignal): Promise<void> {
  const own = `${file}.${owner.slice(-24)}`;
  // Written aside and linked, so that a lock is never seen half written.
  await writeFile(own, owner, { mode: 0o600, flag: 'wx' });
  try {
    const deadline = Date.now() + longestWaitMs;
    while (!(await linkedNow(own, file))) {
      await breakIfAbandoned(own, file);
      if (Date.now() > deadline) throw busy(file);
      await pause(pollMs, undefined, { signal });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Its age counts from the moment it is taken, not from the begin of the wait. */
async function linkedNow(own: string, file: string): Promise<boolean> {
  const now = new Date();
  await utimes(own, now, now);
  return linked(own, file);
}

async function linked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * One at a time and looked at again: of two that judge the same lock, the slower one would take away what the faster
 * one has made since.
 */
async function breakIfAbandoned(own: string, file: string): Promise<void> {
  if (!(await isAbandoned(file))) return;
  const turn = `${file}.break`;
  if (!(await linked(own, turn))) {
    // Left by a process that was killed right here: breaking takes a moment.
    if ((await ageOf(turn)) > longestBreakMs) await rm(turn, { force: true });
    return;
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const owner = await ownerOf(file);
  return owner !== undefined && (hasGone(owner) || (await ageOf(file)) > abandonedMs);
}

/** Milliseconds; 0 for what is not there. */
async function ageOf(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Told of this machine's processes only: of others that share the folder there is the age alone. */
function hasGone(owner: string): boolean {
  const [pid = '', host] = owner.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

async function ownerOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function busy(file: string): Unavailable {
  return new Unavailable(
    'login_busy',
    `Another orgctx has held ${file} for too long. If none is running, delete it.`,
  );
}
