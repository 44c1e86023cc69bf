import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToWorker } from './process-life.ts';
import {
  startWorkerProcess,
  type WatchOptions,
  type WorkerCommand,
  watchWorkerProcess,
} from './worker-process.ts';

export interface SupervisedWorker {
  /** Asks the worker to finish, and kills it if it has not ended after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface SuperviseOptions extends WorkerCommand, WatchOptions {
  /** Minimum and maximum delay before a restart, in milliseconds. */
  readonly backoffMs?: { readonly min: number; readonly max: number };
}

/** Run time after which the restart delay is reset, in milliseconds: the worker is not in a crash loop. */
const settledMs = 60_000;

/**
 * Keeps one worker process running for `serve`. The channel is used for the life-cycle only; work goes through the
 * database. A worker that crashes is restarted with exponential back-off, while serve keeps handling requests.
 */
export function superviseWorker(options: SuperviseOptions): SupervisedWorker {
  const { log, backoffMs = { min: 500, max: 30_000 } } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const run = async (): Promise<void> => {
    let pause = backoffMs.min;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      child = startWorkerProcess(options);
      const outcome = await watchWorkerProcess(child, options);
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
