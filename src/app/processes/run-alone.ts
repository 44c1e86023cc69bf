import type { AloneEnd, RunAlone } from '../../foundation/jobs/worker/run-suspect.ts';
import type { FromWorker, ToWorker } from './process-life.ts';
import {
  defaultSilenceMs,
  startWorkerProcess,
  type WatchOptions,
  type WorkerCommand,
  type WorkerEnd,
  watchWorkerProcess,
} from './worker-process.ts';

/** The variable that tells a worker process to run the one suspect that its parent sends. */
export const aloneVariable = 'ORGCTX_RUN_ALONE';

/** Time that an aborted process has to release its job, in milliseconds: shorter than the worker waits for it. */
const abortGraceMs = 800;

/** Returns a function that runs a suspect in a process which `command` starts. */
export function runInOwnProcess(command: WorkerCommand & WatchOptions): RunAlone {
  const { silenceMs = defaultSilenceMs } = command;
  return async (jobs, signal) => {
    const child = startWorkerProcess({ ...command, env: { ...command.env, [aloneVariable]: 'true' } });
    let started = false;
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
    return signal.aborted ? { kind: 'settled' } : judgeEnd(end, started, silenceMs);
  };
}

/** Only a process that ended by itself, or was killed because it did not respond, says something about its job. */
function judgeEnd({ code, signal, killed }: WorkerEnd, started: boolean, silenceMs: number): AloneEnd {
  if (code === 0) return { kind: 'settled' };
  if (killed === 'stopped') return { kind: 'failed', reason: 'was stopped by a signal (SIGSTOP)' };
  const ended = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  const reason = killed === 'silent' ? `did not respond for ${silenceMs / 1_000} s` : ended;
  return { kind: started ? 'lost' : 'failed', reason };
}
