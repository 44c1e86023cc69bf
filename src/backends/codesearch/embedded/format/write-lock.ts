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
 * One writer a repository. The queue's lane already promises it; the lock holds where two processes disagree. It names
 * the process and its start, so that a lock left by a killed process (or by a former one that had the same pid) is
 * recognized and taken over. Of a process in another container or on another host nothing can be known but that it
 * writes its lock again every few seconds: it is dead when it has not done so for a minute.
 */
const ownerShape = z.object({
  pid: z.int().positive(),
  started: z.string(),
  /** Where `pid` means something: host, boot and namespace of processes. */
  place: z.string().default(''),
  token: z.string(),
});

export interface WriteLock {
  /** False once somebody broke the lock: whoever removes a repository does. */
  held(): boolean;
  release(): void;
}

const LOCK = 'lock';
const BEAT_MS = 5_000;
const DEAD_AFTER_MS = 60_000;

/** `undefined` while a living process holds it. The folder must exist. */
export function takeWriteLock(folder: string, beatMs: number = BEAT_MS): WriteLock | undefined {
  const file = join(folder, LOCK);
  const token = randomBytes(12).toString('hex');
  const own = join(folder, `${LOCK}.${hashOf(here())}.${process.pid}.${token}`);
  const content = JSON.stringify({ pid: process.pid, started: startOf(process.pid), place: here(), token });
  // Written aside and linked, so that a lock is never seen half written.
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
  return taken ? heldLock(folder, token, { fd, content, beatMs }) : undefined;
}

function heldLock(
  folder: string,
  token: string,
  { fd, content, beatMs }: { readonly fd: number; readonly content: string; readonly beatMs: number },
): WriteLock {
  const beat = setInterval(() => beatOn(fd, content), beatMs);
  beat.unref();
  let isReleased = false;
  const held = (): boolean => !isReleased && readOwner(join(folder, LOCK))?.token === token;
  return {
    held,
    release: () => {
      if (isReleased) return;
      if (held()) breakWriteLock(folder);
      isReleased = true;
      clearInterval(beat);
      closeSync(fd);
    },
  };
}

/** The same bytes over and over: never half written, and the time is that of the disk, whoever's clock is wrong. */
function beatOn(fd: number, content: string): void {
  try {
    writeSync(fd, content, 0);
  } catch {
    // Whoever takes the lock for dead breaks it, which the holder sees before it commits.
  }
}

export function breakWriteLock(folder: string): void {
  try {
    unlinkSync(join(folder, LOCK));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Whether `name` is what a living process is about to link as its lock; one of a killed process may be deleted. */
export function isLivingDraft(folder: string, name: string): boolean {
  const [, place, pid] = new RegExp(`^${LOCK}\\.(\\w+)\\.(\\d+)\\.`).exec(name) ?? [];
  if (pid === undefined) return false;
  return place === hashOf(here()) ? isRunning(Number(pid)) : isFresh(join(folder, name), Date.now());
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

/** `now` by the clock of the disk. */
function isAlive(file: string, now: number): boolean {
  const owner = readOwner(file);
  if (owner === undefined) return false;
  if (owner.place !== here()) return isFresh(file, now);
  return isRunning(owner.pid) && startOf(owner.pid) === owner.started;
}

function isFresh(file: string, now: number): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < DEAD_AFTER_MS;
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

/** Parts are empty where there is no /proc. */
function here(): string {
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), '');
  return `${hostname()} ${boot} ${readOr(() => readlinkSync('/proc/self/ns/pid'), '')}`;
}

function hashOf(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 12);
}

/** Field 22 of proc_pid_stat(5): ticks between boot and the start of the process. Empty where there is no /proc. */
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
