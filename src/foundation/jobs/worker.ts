import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Claim, claimJob, msUntilDue } from './claim.ts';
import { jobsChannel } from './enqueue.ts';
import type { BoundTask } from './handler.ts';
import { giveBackJob, renewLeases } from './lease.ts';
import { reapExpiredLeases } from './reap.ts';
import { type Repeating, repeatEvery } from './repeat.ts';
import { runJob, WorkerStopping } from './run-job.ts';
import { RunningJobs } from './running-jobs.ts';
import type { Schedule } from './schedule.ts';
import { reportUnknownTasks } from './unknown-tasks.ts';
import { WakeUp } from './wake-up.ts';

export interface WorkerOptions {
  readonly database: Database;
  readonly tasks: readonly BoundTask[];
  /** What this worker enqueues at set times; every worker of a deployment may be given the same. */
  readonly schedules?: readonly Schedule[];
  readonly log: Logger;
  /** Default: none. */
  readonly telemetry?: Telemetry;
  /** The queue's time on SQLite; Postgres has its own. */
  readonly clock: Clock;
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** How long a job survives its worker unseen; 30 s. */
  readonly leaseMs?: number;
  /** 10 s; must be well below `leaseMs`. */
  readonly heartbeatMs?: number;
  /** Between two looks at the queue when no news comes; 5 s. */
  readonly pollMs?: number;
}

/** Takes jobs from the queue and runs them. A resource: whoever starts it stops it. */
export interface Worker {
  start(): void;
  /**
   * Claims nothing more, gives running jobs `graceMs`, then aborts them and hands them back without loss of an attempt.
   * Resolves at the latest a second after that; a handler that ignores its signal keeps its lease until it runs out.
   */
  stop(graceMs: number): Promise<void>;
}

/** For handlers to end after their signal, and for their jobs to be handed back. */
const abortGraceMs = 1_000;
const retryClaimMs = 1_000;

export function openWorker(options: WorkerOptions): Worker {
  return new QueueWorker(options);
}

class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #bound: ReadonlyMap<string, BoundTask>;
  readonly #claim: Claim;
  readonly #running = new RunningJobs();
  readonly #wakeUp = new WakeUp();
  readonly #repeating: Repeating[] = [];
  #unsubscribe: (() => void) | undefined;
  #claiming: Promise<void> | undefined;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #reported: readonly string[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#bound = new Map(options.tasks.map((bound) => [bound.task.name, bound]));
    if (this.#bound.size !== options.tasks.length) throw new Error('Two handlers are bound to one task.');
    const { leaseMs = 30_000, clock } = options;
    this.#claim = { tasks: [...this.#bound.keys()], leaseMs, clock };
  }

  start(): void {
    if (this.#claiming !== undefined) throw new Error('The worker has been started already.');
    const { database, heartbeatMs = 10_000 } = this.#options;
    this.#unsubscribe = database.subscribe(jobsChannel, () => this.#wakeUp.signal());
    const { leaseMs } = this.#claim;
    this.#repeat(heartbeatMs, () => this.#heartbeat(), 'lease renewal failed');
    // Apart from the heartbeat: that may hang on a database that does not answer, just when it matters.
    this.#repeat(leaseMs / 6, async () => this.#running.abortExpired(leaseMs), 'lease check failed');
    this.#repeat(leaseMs / 6, () => this.#keepHouse(), 'queue maintenance failed');
    this.#claiming = this.#claimLoop();
  }

  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe?.();
    this.#wakeUp.signal();
    await this.#claiming;
    await this.#running.settled(graceMs);
    this.#running.abortAll(new WorkerStopping());
    await this.#running.settled(abortGraceMs);
    await Promise.all(this.#repeating.map((repeating) => repeating.stop()));
  }

  async #claimLoop(): Promise<void> {
    const { pollMs = 5_000, log } = this.#options;
    while (!this.#stopping) {
      try {
        if (this.#running.size < this.#options.concurrency && (await this.#claimOne())) continue;
        await this.#wakeUp.wait(Math.min(pollMs, (await this.#msUntilDue()) ?? pollMs));
      } catch (error) {
        log.error({ err: error }, 'the queue did not answer');
        await this.#wakeUp.wait(retryClaimMs);
      }
    }
  }

  async #claimOne(): Promise<boolean> {
    const { database, clock } = this.#options;
    const leasedAt = performance.now();
    const job = await claimJob(database, this.#claim);
    if (job === undefined) return false;
    const bound = this.#bound.get(job.task);
    if (bound === undefined || this.#stopping) {
      await giveBackJob(database, job, clock);
      return false;
    }
    this.#running.add(
      job,
      leasedAt,
      (signal) => runJob(this.#options, bound, job, signal),
      () => this.#wakeUp.signal(),
    );
    return true;
  }

  async #msUntilDue(): Promise<number | undefined> {
    if (this.#running.size >= this.#options.concurrency) return undefined;
    return msUntilDue(this.#options.database, this.#claim);
  }

  async #heartbeat(): Promise<void> {
    const { tokens } = this.#running;
    if (tokens.length === 0) return;
    const leasedAt = performance.now();
    const held = await renewLeases(this.#options.database, tokens, this.#claim);
    this.#running.renewed(tokens, held, leasedAt);
  }

  async #keepHouse(): Promise<void> {
    const { database, clock, log, telemetry } = this.#options;
    const reaped = await reapExpiredLeases(database, clock);
    if (reaped > 0) {
      log.warn({ jobs: reaped }, 'jobs of a lost worker taken back');
      telemetry?.metrics.add('orgctx.job.leases_lost', reaped, { 'orgctx.lease.lost': 'reaped' });
    }
    this.#reported = await reportUnknownTasks(database.queries, this.#claim.tasks, this.#reported, log);
  }

  #repeat(ms: number, work: () => Promise<void>, failure: string): void {
    const onError = (error: unknown): void => this.#options.log.error({ err: error }, failure);
    this.#repeating.push(repeatEvery(ms, work, onError));
  }
}
