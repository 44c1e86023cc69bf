import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { type FromWorker, heartbeatMs, type ToWorker } from './process-life.ts';

export interface SupervisedWorker {
  /** Asks the worker to finish and waits; whoever is left after `graceMs` is killed. */
  stop(graceMs: number): Promise<void>;
}

export interface SuperviseOptions {
  /** The program and the arguments that make it a worker. */
  readonly program: string;
  readonly args: readonly string[];
  readonly log: Logger;
  /** Shortest and longest wait before a restart, in milliseconds. */
  readonly backoffMs?: { readonly min: number; readonly max: number };
  /** No sign of life for so long means a stuck event loop: the worker is killed, its jobs return with their leases. */
  readonly silenceMs?: number;
}

/** A worker that has lived this long is not crash-looping: its next restart is quick again. */
const settledMs = 60_000;

/**
 * Keeps one worker process running beside `serve`. The channel carries its life-cycle only; work travels through the
 * database. A worker that crashes is started again after a growing pause, and serve goes on answering meanwhile.
 */
export function superviseWorker(options: SuperviseOptions): SupervisedWorker {
  const { log, backoffMs = { min: 500, max: 30_000 }, silenceMs = 12 * heartbeatMs } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const run = async (): Promise<void> => {
    let pause = backoffMs.min;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      child = start(options);
      const outcome = await ended(child, silenceMs, log);
      if (stopping.signal.aborted) return;
      if (Date.now() - started > settledMs) pause = backoffMs.min;
      log.error({ ...outcome, restartInMs: pause }, 'worker ended unexpectedly');
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
 * What the collector of a worker leaves alone: young objects of so many megabytes, of which V8 takes three times as many,
 * and as much garbage as there are objects. With what it chooses itself, indexing peaks a quarter higher and takes as long.
 * @internal the bench of search measures a process that is started as the worker is
 */
export const workerFlags: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=50'];

/** Its own process group: a Ctrl-C at the terminal reaches serve alone, which then drains the worker in order. */
function start({ program, args }: SuperviseOptions): ChildProcess {
  return fork(program, [...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...workerFlags],
    detached: true,
  });
}

function ended(
  child: ChildProcess,
  silenceMs: number,
  log: Logger,
): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    let watchdog = setTimeout(kill, silenceMs);
    function kill(): void {
      log.error({ pid: child.pid }, 'worker gives no sign of life; killing it');
      child.kill('SIGKILL');
    }
    child.on('message', (message: FromWorker) => {
      clearTimeout(watchdog);
      watchdog = setTimeout(kill, silenceMs);
      if (message.type === 'ready') log.info({ pid: child.pid }, 'worker ready');
    });
    const settle = (code: number | null, signal: string | null): void => {
      clearTimeout(watchdog);
      resolve({ code, signal });
    };
    child.once('exit', settle);
    child.once('error', (error) => {
      log.error({ err: error }, 'worker could not be started');
      settle(null, null);
    });
  });
}
