import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from '../../foundation/config/read-environment.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { childFlags, workerFlags } from './process-flags.ts';
import { type FromWorker, heartbeatMs, type ToWorker } from './process-life.ts';

export interface SupervisedWorker {
  /** Asks the worker to finish, and kills it if it has not ended after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface SuperviseOptions {
  /** The program, and the arguments that start it as a worker. */
  readonly program: string;
  readonly args: readonly string[];
  /** Settings in addition to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Minimum and maximum delay before a restart, in milliseconds. */
  readonly backoffMs?: { readonly min: number; readonly max: number };
  /**
   * Time without a heartbeat after which the worker is killed, in milliseconds: its event loop is stuck. Its jobs
   * return to the queue when their leases expire.
   */
  readonly silenceMs?: number;
  /**
   * Interval between two checks of whether the worker is stopped (SIGSTOP), in milliseconds. It is killed if two checks
   * in a row find it stopped. The state comes from the operating system, so a busy machine causes no false alarm.
   */
  readonly stopCheckMs?: number;
}

/** Run time after which the restart delay is reset, in milliseconds: the worker is not in a crash loop. */
const settledMs = 60_000;

/**
 * Keeps one worker process running for `serve`. The channel is used for the life-cycle only; work goes through the
 * database. A worker that crashes is restarted with exponential back-off, while serve keeps handling requests.
 */
export function superviseWorker(options: SuperviseOptions): SupervisedWorker {
  const {
    log,
    backoffMs = { min: 500, max: 30_000 },
    silenceMs = 12 * heartbeatMs,
    stopCheckMs = 10_000,
  } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const run = async (): Promise<void> => {
    let pause = backoffMs.min;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      child = start(options);
      const outcome = await ended(child, { silenceMs, stopCheckMs }, log);
      if (stopping.signal.aborted) return;
      if (Date.now() - started > settledMs) pause = backoffMs.min;
      log.error({ ...outcome, restartInMs: pause }, 'worker ended unexpectedly; it will be restarted');
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, backoffMs.max);
    }
  };
  const done = run();

  return {
    async stop(graceMs) {
      stopping.abort();
      if (child?.connected) child.send({ type: 'drain' } satisfies ToWorker);
      const killer = setTimeout(() => child?.kill('SIGKILL'), graceMs);
      await done;
      clearTimeout(killer);
    },
  };
}

/**
 * Starts a worker in a separate process group: Ctrl-C at the terminal reaches only serve, which then drains the
 * worker.
 */
function start({ program, args, env }: SuperviseOptions): ChildProcess {
  return fork(program, [...args], {
    env: { ...readEnvironment(), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: childFlags(workerFlags),
    detached: true,
  });
}

function ended(
  child: ChildProcess,
  { silenceMs, stopCheckMs }: Required<Pick<SuperviseOptions, 'silenceMs' | 'stopCheckMs'>>,
  log: Logger,
): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    const watch = () => setTimeout(kill, silenceMs, 'worker sent no heartbeat; killing it');
    let watchdog = watch();
    function kill(reason: string): void {
      log.error({ pid: child.pid }, reason);
      child.kill('SIGKILL');
    }
    let wasStopped = false;
    const stopCheck = setInterval(() => {
      const stopped = isStopped(child.pid);
      if (stopped && wasStopped) kill('worker is stopped (SIGSTOP); killing it');
      wasStopped = stopped;
    }, stopCheckMs);
    child.on('message', (message: FromWorker) => {
      clearTimeout(watchdog);
      watchdog = watch();
      if (message.type === 'ready') log.info({ pid: child.pid }, 'worker ready');
    });
    const settle = (code: number | null, signal: string | null): void => {
      clearTimeout(watchdog);
      clearInterval(stopCheck);
      resolve({ code, signal });
    };
    child.once('exit', settle);
    child.once('error', (error) => {
      log.error({ err: error }, 'worker could not be started');
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
