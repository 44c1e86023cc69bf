import { randomBytes } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';

const pollMs = 50;
/** Age at which a lock counts as abandoned, in milliseconds. A refresh with its retry takes at most 40 s. */
const abandonedMs = 60_000;
const maxWaitMs = 90_000;
const maxBreakMs = 10_000;

/**
 * Runs `work` while holding an exclusive lock on the file. A lock whose process has exited, or that is older than
 * `abandonedMs`, is broken.
 * @throws Unavailable if the lock is not released within 90 s; the reason of `signal`
 */
export async function withFileLock<Result>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const owner = `${process.pid} ${hostname()} ${randomBytes(12).toString('hex')}`;
  await acquire(file, owner, signal);
  try {
    return await work();
  } finally {
    // The lock may have been broken meanwhile (this machine slept); the lock of another process is kept.
    if ((await ownerOf(file)) === owner) await rm(file, { force: true });
  }
}

async function acquire(file: string, owner: string, signal: AbortSignal): Promise<void> {
  const own = `${file}.${owner.slice(-24)}`;
  // Written to another file and linked, so that other processes never read an incomplete lock.
  await writeFile(own, owner, { mode: 0o600, flag: 'wx' });
  try {
    const deadline = Date.now() + maxWaitMs;
    while (!(await tryAcquire(own, file))) {
      await breakIfAbandoned(own, file);
      if (Date.now() > deadline) throw busy(file);
      await pause(pollMs, undefined, { signal });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Tries once to acquire the lock. Its age counts from this moment, not from the start of the wait. */
async function tryAcquire(own: string, file: string): Promise<boolean> {
  const now = new Date();
  await utimes(own, now, now);
  return tryLink(own, file);
}

async function tryLink(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes an abandoned lock. A second lock serializes this, and the check is repeated under it; otherwise the slower
 * of two processes could remove the new lock of the faster one.
 */
async function breakIfAbandoned(own: string, file: string): Promise<void> {
  if (!(await isAbandoned(file))) return;
  const breakLock = `${file}.break`;
  if (!(await tryLink(own, breakLock))) {
    // Breaking a lock is fast, so an old file was left by a process that was killed here.
    if ((await ageOf(breakLock)) > maxBreakMs) await rm(breakLock, { force: true });
    return;
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true });
  } finally {
    await rm(breakLock, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const owner = await ownerOf(file);
  return owner !== undefined && (hasExited(owner) || (await ageOf(file)) > abandonedMs);
}

/** Returns the age of a file in milliseconds; 0 if it does not exist. */
async function ageOf(file: string): Promise<number> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Returns whether the owner has exited. Only known for processes of this machine; for others only the age is checked.
 */
function hasExited(owner: string): boolean {
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
    `Another orgctx process has held the lock ${file} for too long. If none is running, delete the file.`,
  );
}
