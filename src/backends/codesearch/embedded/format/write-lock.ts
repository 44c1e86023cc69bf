import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { isAbsent } from './durable-files.ts';

/**
 * Content of the lock file that allows one writer per repository. The lane of the queue already ensures this; the
 * lock protects against two processes that disagree. It names the process and its start time, so that a lock of a
 * killed process (or of an earlier process with the same pid) is detected and taken over. A process in another
 * container or on another host is only known to rewrite its lock every few seconds: it counts as dead if it has not
 * done so for a minute.
 */
const ownerShape = z.object({
  pid: z.int().positive(),
  started: z.string(),
  /** The scope of `pid`: host, boot and pid namespace. */
  place: z.string(),
  token: z.string(),
});

export interface WriteLock {
  /** False if the lock was broken, which the removal of a repository does. */
  held(): boolean;
  release(): void;
}

const lock = 'lock';
const heartbeatMs = 5_000;
const deadAfterMs = 60_000;

/** Takes the lock of a folder, which must exist; `undefined` while a living process holds it. */
export function takeWriteLock(folder: string, intervalMs: number = heartbeatMs): WriteLock | undefined {
  const file = join(folder, lock);
  const token = randomBytes(12).toString('hex');
  const own = join(folder, `${lock}.${hashOf(localPlace())}.${process.pid}.${token}`);
  const content = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    place: localPlace(),
    token,
  });
  // Written to another file and linked, so that the lock is never visible incompletely.
  const fd = openSync(own, 'wx', 0o600);
  let taken = false;
  try {
    writeSync(fd, content);
    taken = link(own, file);
    if (!taken && !isAlive(file, fstatSync(fd).mtimeMs)) {
      breakWriteLock(folder);
      taken = link(own, file);
    }
  } finally {
    rmSync(own, { force: true });
    if (!taken) closeSync(fd);
  }
  return taken ? heldLock(folder, token, { fd, content, intervalMs }) : undefined;
}

function heldLock(
  folder: string,
  token: string,
  { fd, content, intervalMs }: { readonly fd: number; readonly content: string; readonly intervalMs: number },
): WriteLock {
  const heartbeat = setInterval(() => writeHeartbeat(fd, content), intervalMs);
  heartbeat.unref();
  let isReleased = false;
  const held = (): boolean => !isReleased && readOwner(join(folder, lock))?.token === token;
  return {
    held,
    release: () => {
      if (isReleased) return;
      if (held()) breakWriteLock(folder);
      isReleased = true;
      clearInterval(heartbeat);
      closeSync(fd);
    },
  };
}

/**
 * Writes the same bytes again, so the file is always complete. The file time comes from the clock of the disk, so
 * wrong local clocks do not matter.
 */
function writeHeartbeat(fd: number, content: string): void {
  try {
    writeSync(fd, content, 0);
  } catch {
    // A process that considers the lock dead breaks it, which the holder detects before it commits.
  }
}

/** Deletes the lock of a folder, regardless of its holder. */
export function breakWriteLock(folder: string): void {
  try {
    unlinkSync(join(folder, lock));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Returns whether `name` is the draft of a lock of a living process; a draft of a killed process may be deleted. */
export function isLivingDraft(folder: string, name: string): boolean {
  const [, place, pid] = new RegExp(`^${lock}\\.(\\w+)\\.(\\d+)\\.`).exec(name) ?? [];
  if (pid === undefined) return false;
  return place === hashOf(localPlace()) ? isRunning(Number(pid)) : isFresh(join(folder, name), Date.now());
}

function link(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Returns whether the holder of a lock is alive. `now` is the time of the disk clock. */
function isAlive(file: string, now: number): boolean {
  const owner = readOwner(file);
  if (owner === undefined) return false;
  if (owner.place !== localPlace()) return isFresh(file, now);
  return isRunning(owner.pid) && startOf(owner.pid) === owner.started;
}

function isFresh(file: string, now: number): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < deadAfterMs;
}

function readOwner(file: string): z.infer<typeof ownerShape> | undefined {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns host, boot id and pid namespace; parts are empty without /proc. */
function localPlace(): string {
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), '');
  return `${hostname()} ${boot} ${readOr(() => readlinkSync('/proc/self/ns/pid'), '')}`;
}

function hashOf(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 12);
}

/** Returns field 22 of proc_pid_stat(5): clock ticks between boot and the start of the process. Empty without /proc. */
function startOf(pid: number): string {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readOr(read: () => string, absent: string): string {
  try {
    return read();
  } catch {
    return absent;
  }
}
