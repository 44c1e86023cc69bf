import type { Database } from '../../db/database.ts';
import { isDatabaseBusy } from '../../db/retry-transaction.ts';
import type { Clock } from '../../kernel/clock.ts';
import { InvalidInput, RateLimited, Unavailable } from '../../kernel/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Telemetry, telemetryOff } from '../../telemetry/telemetry.ts';
import type { ClaimedJob, ClaimedJobs } from '../claim/claimed-job.ts';
import type { BoundTask, JobContext } from '../handler.ts';
import { deleteDeadJobs } from '../inspect/retry-jobs.ts';
import { assertHeld } from '../lease/assert-held.ts';
import { markDead, releaseJob, retryJob } from '../lease/lease.ts';
import { LeaseLost } from '../lease/lease-lost.ts';
import { foundFullDisk, retryDecision } from '../retry-decision.ts';
import type { Complete } from './group-completions.ts';
import { observeRun, type RunOutcome, worstOutcome } from './observe-run.ts';

/**
 * The reason of an abort when the worker stops. The job is then released, whereas nothing is recorded after
 * LeaseLost.
 */
export class WorkerStopping extends Error {
  constructor() {
    super('The worker is stopping.');
  }
}

export interface RunDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly complete: Complete;
  readonly telemetry?: Telemetry;
}

/** The run of the jobs of one lease. */
export interface Run {
  readonly bound: BoundTask;
  readonly jobs: ClaimedJobs;
  readonly signal: AbortSignal;
  /** Called when the handler has ended. */
  readonly handled?: () => void;
}

/**
 * Runs the handler and records the outcome. Never throws: if the outcome cannot be recorded, the jobs run again when
 * the lease expires.
 */
export async function runJobs(deps: RunDeps, run: Run): Promise<void> {
  await observeRun(deps.telemetry ?? telemetryOff, run.jobs, () => runAndRecord(deps, run));
}

async function runAndRecord(deps: RunDeps, run: Run): Promise<RunOutcome> {
  const [{ id, task, attempts }, ...others] = run.jobs;
  const batch = others.length > 0 ? { jobs: run.jobs.length } : {};
  const log = deps.log.child({ jobId: id, task, attempt: attempts, ...batch });
  const started = performance.now();
  try {
    const outcome = await handleAndSettle({ ...deps, log }, run);
    const durationMs = Math.round(performance.now() - started);
    if (outcome === 'lease_lost') log.warn({ durationMs }, 'job lease lost');
    else if (outcome === 'done') log.info({ durationMs }, 'job done');
    return outcome;
  } catch (error) {
    log.error({ err: error }, 'job outcome not recorded');
    return 'unrecorded';
  }
}

async function handleAndSettle(deps: RunDeps, run: Run): Promise<RunOutcome> {
  const failure = await attempt(deps, run);
  if (failure !== undefined && mayBeOneJobsFailure(failure, run)) {
    deps.log.warn({ err: failure.error }, 'batch failed; its jobs run one by one');
    return runOneByOne(deps, run);
  }
  run.handled?.();
  if (failure === undefined) return completed(deps, run.jobs, run.signal);
  const outcomes: RunOutcome[] = [];
  for (const job of run.jobs)
    outcomes.push(await settle(deps, withLaneIfLast(job, run.jobs), failure, run.signal));
  return worstOutcome(outcomes);
}

/**
 * Returns whether a failed batch should be retried job by job. A lost lease, a stop, a full disk and a service that
 * asks to wait affect every job of the batch.
 */
function mayBeOneJobsFailure({ error }: Failure, { jobs, signal }: Run): boolean {
  if (jobs.length === 1 || signal.aborted || error instanceof LeaseLost) return false;
  return !(error instanceof RateLimited || error instanceof Unavailable || foundFullDisk(error));
}

/**
 * Runs the jobs of a batch separately. Each outcome is recorded as soon as the job ends, so that a killed worker
 * repeats few of them.
 */
async function runOneByOne(deps: RunDeps, run: Run): Promise<RunOutcome> {
  const outcomes: RunOutcome[] = [];
  for (const job of run.jobs) {
    const failure = run.signal.aborted
      ? { error: run.signal.reason as unknown }
      : await attempt(deps, { ...run, jobs: [job] });
    const ended = withLaneIfLast(job, run.jobs);
    outcomes.push(
      failure === undefined
        ? await completed(deps, [ended], run.signal)
        : await settle(deps, ended, failure, run.signal),
    );
  }
  run.handled?.();
  return worstOutcome(outcomes);
}

/**
 * Returns the job as its outcome is recorded. The lane is held until the last job of a batch, so the others are
 * recorded without it.
 */
function withLaneIfLast(job: ClaimedJob, jobs: ClaimedJobs): ClaimedJob {
  return job === jobs.at(-1) ? job : { ...job, lane: null };
}

interface Failure {
  readonly error: unknown;
}

async function attempt({ clock, log }: RunDeps, { bound, jobs, signal }: Run): Promise<Failure | undefined> {
  try {
    const context: JobContext = {
      signal,
      log,
      attempt: Math.max(...jobs.map(({ attempts }) => attempts)),
      maxAttempts: Math.min(...jobs.map(({ max_attempts }) => max_attempts)),
      fence: jobs[0].fence,
      assertHeld: (tx) => assertHeld(tx, jobs, clock),
    };
    await bound.run(
      jobs.map((job) => ({ id: job.id, payload: readPayload(job) })),
      context,
    );
    return undefined;
  } catch (error) {
    return { error };
  }
}

function readPayload({ payload }: ClaimedJob): unknown {
  try {
    return JSON.parse(payload);
  } catch (cause) {
    throw new InvalidInput('The payload of this job is not valid JSON. Discard the job.', { cause });
  }
}

async function completed(
  { complete, database }: RunDeps,
  jobs: ClaimedJobs,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const done = await recorded(() => complete(jobs), signal);
  // A suspect that ends well has done the work of a dead one, which made it a suspect.
  for (const { id, task, key, lost_alone } of jobs)
    if (lost_alone !== null && key !== null && done.has(id))
      await recorded(() => deleteDeadJobs(database.queries, { name: task }, key), signal);
  return ifHeld(
    'done',
    jobs.every(({ id }) => done.has(id)),
  );
}

/**
 * Records an outcome; while the database is busy again and again, because the job would run twice otherwise. An abort
 * ends it: the lease was lost, or the worker stops. Each call waits for the database by itself.
 */
async function recorded<T>(record: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (signal.aborted || !isDatabaseBusy(error)) throw error;
    }
  }
}

/** Records the outcome of a failed job. Returns `lease_lost` if the job could no longer be changed. */
async function settle(
  { database, clock, log }: RunDeps,
  job: ClaimedJob,
  { error }: Failure,
  signal: AbortSignal,
): Promise<RunOutcome> {
  if (signal.reason instanceof LeaseLost || error instanceof LeaseLost) return 'lease_lost';
  if (signal.reason instanceof WorkerStopping) {
    return ifHeld('released', await releaseJob(database, job, clock));
  }
  const { retryAfterMs, lastError, counts } = retryDecision(error, {
    attempt: job.attempts,
    maxAttempts: job.max_attempts,
    random: Math.random,
  });
  if (retryAfterMs === undefined) {
    log.error({ err: error, jobId: job.id }, 'job dead');
    const marked = await recorded(() => markDead(database, job, lastError, clock), signal);
    return ifHeld('dead', marked);
  }
  log.warn({ err: error, jobId: job.id, retryAfterMs }, 'job failed; it will be retried');
  const retry = { delayMs: retryAfterMs, lastError, counts, clock };
  return ifHeld('retry', await recorded(() => retryJob(database, job, retry), signal));
}

function ifHeld(outcome: RunOutcome, held: boolean): RunOutcome {
  return held ? outcome : 'lease_lost';
}
