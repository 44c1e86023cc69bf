import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { InvalidInput } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../telemetry/telemetry.ts';
import { assertHeld } from './assert-held.ts';
import type { ClaimedJob } from './claim.ts';
import type { BoundTask, JobContext } from './handler.ts';
import { buryJob, completeJob, giveBackJob, retryJob } from './lease.ts';
import { LeaseLost } from './lease-lost.ts';
import { observeRun, type RunOutcome } from './observe-run.ts';
import { verdictOf } from './verdict.ts';

/** Why a handler was aborted, beside LeaseLost: what is said about the job afterwards depends on it. */
export class WorkerStopping extends Error {
  constructor() {
    super('The worker is stopping.');
  }
}

export interface RunDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry?: Telemetry;
}

/** Runs the handler and writes down how it went. Never throws: what cannot be written, the lease's end repeats. */
export async function runJob(
  deps: RunDeps,
  bound: BoundTask,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<void> {
  await observeRun(deps.telemetry ?? telemetryOff, job, () => runAndRecord(deps, bound, job, signal));
}

async function runAndRecord(
  deps: RunDeps,
  bound: BoundTask,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const log = deps.log.child({ jobId: job.id, task: job.task, attempt: job.attempts });
  const started = performance.now();
  try {
    const failure = await attempt({ ...deps, log }, bound, job, signal);
    const outcome = await settle({ ...deps, log }, job, failure, signal);
    const durationMs = Math.round(performance.now() - started);
    if (outcome === 'lease_lost') log.warn({ durationMs }, 'job lease lost');
    else if (outcome === 'done') log.info({ durationMs }, 'job done');
    return outcome;
  } catch (error) {
    log.error({ err: error }, 'job outcome not recorded');
    return 'unrecorded';
  }
}

interface Failure {
  readonly error: unknown;
}

async function attempt(
  { clock, log }: RunDeps,
  bound: BoundTask,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const context: JobContext = {
      signal,
      log,
      attempt: job.attempts,
      maxAttempts: job.max_attempts,
      fence: job.fence,
      assertHeld: (tx) => assertHeld(tx, job, clock),
    };
    await bound.run([{ id: job.id, payload: readPayload(job) }], context);
    return undefined;
  } catch (error) {
    return { error };
  }
}

function readPayload({ payload }: ClaimedJob): unknown {
  try {
    return JSON.parse(payload);
  } catch (cause) {
    throw new InvalidInput('The payload of this job is not JSON: discard it.', { cause });
  }
}

/** Writes down how it went; a lost lease is the outcome where nothing could be said any more. */
async function settle(
  { database, clock, log }: RunDeps,
  job: ClaimedJob,
  failure: Failure | undefined,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (signal.reason instanceof LeaseLost || failure?.error instanceof LeaseLost) return 'lease_lost';
  if (failure === undefined) return ifHeld('done', await completeJob(database, job));
  if (signal.reason instanceof WorkerStopping) {
    return ifHeld('given_back', await giveBackJob(database, job, clock));
  }
  const { retryAfterMs, lastError } = verdictOf(failure.error, {
    attempt: job.attempts,
    maxAttempts: job.max_attempts,
    random: Math.random,
  });
  if (retryAfterMs === undefined) {
    log.error({ err: failure.error }, 'job dead');
    return ifHeld('dead', await buryJob(database, job, lastError));
  }
  log.warn({ err: failure.error, retryAfterMs }, 'job failed, will run again');
  return ifHeld('retry', await retryJob(database, job, { delayMs: retryAfterMs, lastError, clock }));
}

function ifHeld(outcome: RunOutcome, held: boolean): RunOutcome {
  return held ? outcome : 'lease_lost';
}
