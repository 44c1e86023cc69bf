import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { ActiveRuns } from './active-runs.ts';
import { claimJobs, msUntilLook } from './claim.ts';
import type { Claim, ClaimedJob, ClaimedJobs } from './claimed-job.ts';
import { completeJobs } from './complete-jobs.ts';
import { jobsChannel } from './enqueue.ts';
import { enqueueSchedules } from './enqueue-schedules.ts';
import { type Complete, groupCompletions } from './group-completions.ts';
import { groupTransactions } from './group-transactions.ts';
import type { BoundTask } from './handler.ts';
import { LaneTurns } from './lane-turns.ts';
import { giveBackJob, renewLeases } from './lease.ts';
import { reapExpiredLeases } from './reap.ts';
import { type Repeating, repeatEvery } from './repeat.ts';
import { type RunDeps, runJobs, WorkerStopping } from './run-jobs.ts';

import type { Schedule } from './schedule.ts';
import type { Task } from './task.ts';
import { reportUnknownTasks } from './unknown-tasks.ts';
import { WakeUp } from './wake-up.ts';

export interface WorkerOptions {
  readonly database: Database;
  readonly tasks: readonly BoundTask[];
  /** Declared, and handled by no worker of this version: their jobs wait, which is no news. */
  readonly unhandled?: readonly Pick<Task, 'name'>[];
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
const scheduleMs = 1_000;
/** Runs, for each that may be handled at once, that may wait for their outcome to be written down. */
const unwrittenPerSlot = 4;

export function openWorker(options: WorkerOptions): Worker {
  return new QueueWorker(options);
}

class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #bound: ReadonlyMap<string, BoundTask>;
  readonly #claim: Claim;
  readonly #claimDatabase: Database;
  readonly #runDeps: RunDeps;
  readonly #running = new ActiveRuns();
  readonly #laneTurns = new LaneTurns();
  readonly #wakeUp = new WakeUp();
  readonly #repeating: Repeating[] = [];
  #unsubscribe: (() => void) | undefined;
  #claiming: Promise<void> | undefined;
  #foundWork = false;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #reported: readonly string[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#bound = new Map(options.tasks.map((bound) => [bound.task.name, bound]));
    if (this.#bound.size !== options.tasks.length) throw new Error('Two handlers are bound to one task.');
    const names = new Set(options.schedules?.map(({ name }) => name));
    if (names.size !== (options.schedules?.length ?? 0)) throw new Error('Two schedules have one name.');
    const { leaseMs = 30_000, clock, database } = options;
    const batches = options.tasks.flatMap(({ task }) =>
      task.batch ? [[task.name, task.batch] as const] : [],
    );
    this.#claim = { tasks: [...this.#bound.keys()], batches: new Map(batches), leaseMs, clock };
    // On SQLite what ends and what begins is one commit; on Postgres the two run side by side, each one statement.
    const sqlite = database.dialect === 'sqlite';
    this.#claimDatabase = sqlite ? groupTransactions(database) : database;
    const complete: Complete = (jobs) => completeJobs(this.#claimDatabase, jobs);
    this.#runDeps = { ...options, complete: sqlite ? complete : groupCompletions(complete) };
  }

  start(): void {
    if (this.#claiming !== undefined) throw new Error('The worker has been started already.');
    const { database, clock, heartbeatMs = 10_000, schedules = [] } = this.#options;
    this.#unsubscribe = database.subscribe(jobsChannel, () => this.#wakeUp.signal());
    const { leaseMs } = this.#claim;
    const lookMs = leaseMs / 6;
    this.#repeat(heartbeatMs, () => this.#heartbeat(), 'lease renewal failed');
    // Apart from the heartbeat: that may hang on a database that does not answer, just when it matters. Seen well before
    // the lease ends, or else another worker would begin first.
    const unrenewedMs = leaseMs - lookMs;
    this.#repeat(lookMs / 2, async () => this.#running.abortUnrenewed(unrenewedMs), 'lease check failed');
    this.#repeat(lookMs, () => this.#keepHouse(), 'queue maintenance failed');
    if (schedules.length > 0) {
      this.#repeat(scheduleMs, () => enqueueSchedules(database, schedules, clock), 'schedules not looked at');
    }
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
    const { pollMs = 5_000, log, database } = this.#options;
    while (!this.#stopping) {
      try {
        const free = this.#freeSlots;
        if (free > 0 && (await this.#claimSome(free))) continue;
        // Without a free slot the next look comes when a run ends, whatever comes before.
        const nextLook = free > 0 ? await msUntilLook(database, this.#claim) : undefined;
        await this.#wakeUp.wait(Math.min(pollMs, nextLook ?? pollMs));
      } catch (error) {
        log.error({ err: error }, 'the queue did not answer');
        await this.#wakeUp.wait(retryClaimMs);
      }
    }
  }

  get #freeSlots(): number {
    const { concurrency } = this.#options;
    const { handling, size } = this.#running;
    return Math.min(concurrency - handling, unwrittenPerSlot * concurrency - size);
  }

  async #claimSome(limit: number): Promise<boolean> {
    const leasedAt = performance.now();
    const hints = { expectWork: this.#foundWork, leave: this.#laneTurns.toLeave(leasedAt) };
    const claimed = await claimJobs(this.#claimDatabase, this.#claim, limit, hints);
    this.#foundWork = claimed.length > 0;
    if (this.#stopping) await this.#giveBack(claimed.flat());
    else for (const jobs of claimed) this.#run(jobs, leasedAt);
    return this.#foundWork;
  }

  #run(jobs: ClaimedJobs, leasedAt: number): void {
    const [{ task, lane, lease_token: token }] = jobs;
    const bound = this.#bound.get(task);
    if (bound === undefined) throw new Error(`A job of the unknown task ${task} was claimed.`);
    if (lane !== null) this.#laneTurns.taken(lane, leasedAt);
    this.#running.add({
      token,
      leasedAt,
      start: async (signal, handled) => {
        await runJobs(this.#runDeps, { bound, jobs, signal, handled });
        if (lane !== null) this.#laneTurns.ended(lane, performance.now());
      },
      changed: () => this.#wakeUp.signal(),
    });
  }

  async #giveBack(jobs: readonly ClaimedJob[]): Promise<void> {
    const { database, clock } = this.#options;
    for (const job of jobs) await giveBackJob(database, job, clock);
  }

  async #heartbeat(): Promise<void> {
    const { tokens } = this.#running;
    if (tokens.length === 0) return;
    const leasedAt = performance.now();
    const held = await renewLeases(this.#options.database, tokens, this.#claim);
    this.#running.renewed(tokens, held, leasedAt);
  }

  async #keepHouse(): Promise<void> {
    const { database, clock, log, telemetry, unhandled = [] } = this.#options;
    const reaped = await reapExpiredLeases(database, clock);
    if (reaped > 0) {
      log.warn({ jobs: reaped }, 'jobs of a lost worker taken back');
      telemetry?.metrics.add('orgctx.job.leases_lost', reaped, { how: 'reaped' });
    }
    const known = [...this.#claim.tasks, ...unhandled.map(({ name }) => name)];
    this.#reported = await reportUnknownTasks(database.queries, known, this.#reported, log);
  }

  #repeat(ms: number, work: () => Promise<void>, failure: string): void {
    const onError = (error: unknown): void => this.#options.log.error({ err: error }, failure);
    this.#repeating.push(repeatEvery(ms, work, onError));
  }
}
