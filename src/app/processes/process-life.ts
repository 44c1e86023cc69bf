import { Worker } from 'node:worker_threads';
import type { ClaimedJobs } from '../../foundation/jobs/claim/claimed-job.ts';

/**
 * Messages between parent and child processes: `quickstart` starts `serve`, `serve` starts `worker`, and a worker
 * starts another one for each suspect. The channel is used for the life-cycle only; other work and events go through
 * the database (architecture section 3).
 */
export type FromWorker = { readonly type: 'ready' } | { readonly type: 'heartbeat' };
export type ToWorker =
  | { readonly type: 'drain' }
  /** To a worker that runs one suspect: the jobs of its lease. */
  | { readonly type: 'run'; readonly jobs: ClaimedJobs };
export interface FromServe {
  readonly type: 'listening';
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly port: number;
}

/** Interval between two heartbeats of a worker, in milliseconds. */
export const heartbeatMs = 10_000;

/** Returns the path of the running program, to start it with another command. */
export function ownProgram(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new Error('this process was started without a program file');
  return program;
}

/** Sends a message to the parent process, if it has a channel to this one. */
export function notifyParent(message: FromWorker | FromServe): void {
  if (process.connected) process.send?.(message);
}

/** Returns whether a channel existed and is closed: the parent died while this process was starting. */
function isParentGone(): boolean {
  return process.send !== undefined && !process.connected;
}

/**
 * Kills this process `orphanMs` after its parent has died, also if its event loop stands still. The parent tells its
 * process id when it starts this process, because it may have died before this call.
 */
export function endWithParent(parentPid: number, orphanMs = 10_000): void {
  const source = `
    setInterval(() => {
      if (process.ppid !== ${parentPid}) setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${orphanMs});
    }, ${Math.min(1_000, orphanMs)});`;
  new Worker(source, { eval: true }).unref();
}

/** Sends heartbeats to the parent until the returned function is called. */
export function startHeartbeat(): () => void {
  const timer = setInterval(() => notifyParent({ type: 'heartbeat' }), heartbeatMs).unref();
  return () => clearInterval(timer);
}

/**
 * Waits for a reason to stop gracefully: `signal` (Ctrl-C, SIGTERM), a `drain` message of the parent, or the death of
 * the parent, after which no process would stop this one.
 */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted || isParentGone()) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (!process.connected) return;
    process.once('disconnect', resolve);
    process.on('message', (message: ToWorker) => {
      if (message.type === 'drain') resolve();
    });
  });
  // An open channel would keep the event loop alive after the work is done.
  if (process.connected) process.disconnect();
}
