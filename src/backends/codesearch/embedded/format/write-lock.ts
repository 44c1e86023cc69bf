import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { isAbsent } from './durable-files.ts';

/**
 * One writer a repository. The queue's lane already promises it; the lock holds where two processes disagree. It names
 * the process, its start and the boot, so that a lock left by a killed process (or by a former container whose writer
 * had the same pid) is recognized and taken over.
 */
const ownerShape = z.object({
  pid: z.int().positive(),
  started: z.string(),
  boot: z.string(),
  token: z.string(),
});

export interface WriteLock {
  /** False once somebody broke the lock: whoever removes a repository does. */
  held(): boolean;
  release(): void;
}

const LOCK = 'lock';

/** `undefined` while a living process holds it. The folder must exist. */
export function takeWriteLock(folder: string): WriteLock | undefined {
  const file = join(folder, LOCK);
  const token = randomBytes(12).toString('hex');
  const own = join(folder, `${LOCK}.${process.pid}.${token}`);
  try {
    // Written aside and linked, so that a lock is never seen half written.
    writeFileSync(own, JSON.stringify({ ...identify(process.pid), token }), { mode: 0o600 });
    if (!link(own, file)) {
      if (isAlive(file)) return undefined;
      breakWriteLock(folder);
      if (!link(own, file)) return undefined;
    }
  } finally {
    rmSync(own, { force: true });
  }
  const held = (): boolean => readOwner(file)?.token === token;
  return {
    held,
    release: () => {
      if (held()) breakWriteLock(folder);
    },
  };
}

export function breakWriteLock(folder: string): void {
  try {
    unlinkSync(join(folder, LOCK));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Whether `name` is what a living process is about to link as its lock; one of a killed process may be deleted. */
export function isLivingDraft(name: string): boolean {
  const pid = new RegExp(`^${LOCK}\\.(\\d+)\\.`).exec(name)?.[1];
  return pid !== undefined && identify(Number(pid)) !== undefined;
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

function isAlive(file: string): boolean {
  const owner = readOwner(file);
  if (owner === undefined) return false;
  const now = identify(owner.pid);
  return now !== undefined && now.boot === owner.boot && now.started === owner.started;
}

function readOwner(file: string): z.infer<typeof ownerShape> | undefined {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Who `pid` is now; `undefined` when there is no such process. */
function identify(pid: number): { pid: number; started: string; boot: string } | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return undefined;
  }
  return { pid, started: startOf(pid), boot: readOr('/proc/sys/kernel/random/boot_id', '') };
}

/** Field 22 of proc_pid_stat(5): ticks between boot and the start of the process. Empty where there is no /proc. */
function startOf(pid: number): string {
  const stat = readOr(`/proc/${pid}/stat`, '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readOr(file: string, absent: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return absent;
  }
}
