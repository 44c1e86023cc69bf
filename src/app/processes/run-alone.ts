import { readFileSync } from 'node:fs';
import type { RunAlone } from '../../foundation/jobs/worker/run-suspect.ts';
import type { FromWorker, ToWorker } from './process-life.ts';
import {
  defaultSilenceMs,
  startWorkerProcess,
  type WatchOptions,
  type WorkerCommand,
  type WorkerEnd,
  watchWorkerProcess,
} from './worker-process.ts';

/** The variable that tells a worker process to run the one suspect that its parent sends: the parent's process id. */
export const aloneVariable = 'ORGCTX_RUN_ALONE';

/** Time that an aborted process has to release its job, in milliseconds: shorter than the worker waits for it. */
const abortGraceMs = 800;

interface RunAloneOptions extends WorkerCommand, WatchOptions {
  /**
   * Returns how many processes the kernel has killed because it ran out of memory, or `undefined` if it does not tell.
   * Default: the counter of Linux.
   */
  readonly oomKills?: () => number | undefined;
}

/** Returns a function that runs a suspect in a process which `command` starts. */
export function runInOwnProcess(command: RunAloneOptions): RunAlone {
  const { silenceMs = defaultSilenceMs, oomKills = readOomKills } = command;
  return async (jobs, signal) => {
    const child = startWorkerProcess({
      ...command,
      env: { ...command.env, [aloneVariable]: `${process.pid}` },
    });
    let started = false;
    const oomKillsBefore = oomKills();
    child.on('message', ({ type }: FromWorker) => {
      if (type !== 'ready' || signal.aborted) return;
      started = true;
      child.send({ type: 'run', jobs } satisfies ToWorker);
    });
    let killer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      if (child.connected) child.send({ type: 'drain' } satisfies ToWorker);
      killer = setTimeout(() => child.kill('SIGKILL'), abortGraceMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    const end = await watchWorkerProcess(child, { ...command, role: 'worker of one job' });
    signal.removeEventListener('abort', stop);
    clearTimeout(killer);
    if (signal.aborted || end.code === 0) return { kind: 'settled' };
    const oomKillsAfter = oomKills();
    const ranOutOfMemory = oomKillsAfter === undefined || oomKillsAfter !== oomKillsBefore;
    return {
      kind: started && isFault(end, ranOutOfMemory) ? 'lost' : 'failed',
      reason: reasonOf(end, silenceMs),
    };
  };
}

/** Signals of a process that crashed: of a fault in native code, and of V8 when its heap is full. */
const crashes = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGSYS', 'SIGTRAP']);

/** Exit code of a command that a signal interrupted. */
const interruptedCode = 130;

/**
 * Returns whether the end of a process says something about its job: it failed, crashed, or was killed because it did
 * not respond. An operator may send all other signals. SIGKILL also comes from a kernel that ran out of memory.
 */
function isFault({ code, signal, killed }: WorkerEnd, ranOutOfMemory: boolean): boolean {
  if (killed !== undefined) return killed === 'silent';
  if (signal === 'SIGKILL') return ranOutOfMemory;
  return signal === null ? code !== interruptedCode : crashes.has(signal);
}

/** Completes "The worker …". */
function reasonOf({ code, signal, killed }: WorkerEnd, silenceMs: number): string {
  if (killed === 'stopped') return 'was stopped by a signal (SIGSTOP)';
  if (killed === 'silent') return `did not respond for ${silenceMs / 1_000} s`;
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/** Reads the number of processes that Linux has killed because the host or a container ran out of memory. */
function readOomKills(): number | undefined {
  try {
    const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8')) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}
