import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { childFlags, processEnvironment, workerFlags } from './process-flags.ts';
import { type FromWorker, heartbeatMs } from './process-life.ts';

/** The command of a worker process. */
export interface WorkerCommand {
  /** The program, and the arguments that start it as a worker. */
  readonly program: string;
  readonly args: readonly string[];
  /** Settings in addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface WatchOptions {
  readonly log: Logger;
  /** Name of the process in log messages. Default: `worker`. */
  readonly role?: string;
  /**
   * Time without a heartbeat after which the worker is killed, in milliseconds: its event loop is stuck. Its jobs
   * return to the queue when their leases expire. A worker that has sent nothing yet has the default time to start.
   */
  readonly silenceMs?: number;
  /**
   * Interval between two checks of whether the worker is stopped (SIGSTOP), in milliseconds. It is killed if two checks
   * in a row find it stopped. The state comes from the operating system, so a busy machine causes no false alarm.
   */
  readonly stopCheckMs?: number;
}

/** The end of a worker process. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it was killed; `undefined` if it ended otherwise. */
  readonly killed?: 'silent' | 'stopped';
}

const killReasons = { silent: 'sent no heartbeat', stopped: 'is stopped (SIGSTOP)' } as const;

/** Number of checks that the time without a heartbeat is divided into. */
const silenceChecks = 12;
export const defaultSilenceMs = silenceChecks * heartbeatMs;

/** Starts a worker in a separate process group: Ctrl-C at the terminal reaches only its parent, which then drains it. */
export function startWorkerProcess({ program, args, env }: WorkerCommand): ChildProcess {
  return fork(program, [...args], {
    env: { ...processEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: childFlags(workerFlags),
    detached: true,
  });
}

/** Waits for the end of a worker process, and kills one that is stuck or stopped. */
export function watchWorkerProcess(
  child: ChildProcess,
  { log, role = 'worker', silenceMs = defaultSilenceMs, stopCheckMs = 10_000 }: WatchOptions,
): Promise<WorkerEnd> {
  return new Promise((resolve) => {
    let killed: WorkerEnd['killed'];
    const kill = (why: keyof typeof killReasons): void => {
      log.error({ pid: child.pid }, `${role} ${killReasons[why]}; killing it`);
      killed = why;
      child.kill('SIGKILL');
    };
    // Counts checks instead of time: after this process itself stood still, the next check is a single one, and the
    // heartbeats that arrived meanwhile are read before the one after it.
    let silentChecks = 0;
    let limit = Math.max(silenceChecks, defaultSilenceMs / (silenceMs / silenceChecks));
    const silenceCheck = setInterval(() => {
      silentChecks += 1;
      if (silentChecks >= limit && killed === undefined) kill('silent');
    }, silenceMs / silenceChecks);
    let wasStopped = false;
    const stopCheck = setInterval(() => {
      const stopped = isStopped(child.pid);
      if (stopped && wasStopped) kill('stopped');
      wasStopped = stopped;
    }, stopCheckMs);
    child.on('message', ({ type }: FromWorker) => {
      silentChecks = 0;
      limit = silenceChecks;
      if (type === 'ready') log.info({ pid: child.pid }, `${role} ready`);
    });
    const settle = (code: number | null, signal: string | null): void => {
      clearInterval(silenceCheck);
      clearInterval(stopCheck);
      resolve({ code, signal, ...(killed && { killed }) });
    };
    child.once('exit', settle);
    child.once('error', (error) => {
      log.error({ err: error }, `${role} could not be started`);
      settle(null, null);
    });
  });
}

/**
 * Returns whether a signal has stopped the process (proc(5): state T). A process that only waits for a CPU runs (R).
 */
function isStopped(pid: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in parentheses and may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false;
  }
}
