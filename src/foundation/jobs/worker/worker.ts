import type { Database } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { claimJobs, msUntilNextClaim } from '../claim/claim.ts';
import type { Claim, ClaimedJob, ClaimedJobs } from '../claim/claimed-job.ts';
import { jobsChannel } from '../enqueue.ts';
import type { BoundTask } from '../handler.ts';
import { releaseJob, renewLeases } from '../lease/lease.ts';
import { giveBackLeases, reapExpiredLeases } from '../lease/reap.ts';
import { enqueueSchedules } from '../schedule/enqueue-schedules.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { type SlotClass, slotClasses, type Task } from '../task.ts';
import { ActiveRuns, type NewRun } from './active-runs.ts';
import { completeJobs } from './complete-jobs.ts';
import { type Complete, groupCompletions } from './group-completions.ts';
import { groupTransactions } from './group-transactions.ts';
import { LaneShares } from './lane-shares.ts';
import { type Repeating, repeatEvery } from './repeat.ts';
import { type RunDeps, runJobs, WorkerStopping } from './run-jobs.ts';
import { hasSuspects, type RunAlone, runSuspect } from './run-suspect.ts';
import { reportUnknownTasks } from './unknown-tasks.ts';
import { WakeUp } from './wake-up.ts';
import { presenceMs, WorkerPresence } from './worker-presence.ts';

export interface WorkerOptions {
  readonly database: Database;
  readonly tasks: readonly BoundTask[];
  /** Tasks that are declared but handled by no worker of this version. Their jobs stay ready, which is not logged. */
  readonly unhandled?: readonly Pick<Task, 'name'>[];
  /** Schedules that this worker enqueues. Every worker of a deployment may have the same ones. */
  readonly schedules?: readonly Schedule[];
  readonly log: Logger;
  /** Default: none. */
  readonly telemetry?: Telemetry;
  /** The clock of the queue on SQLite. Postgres uses its own. */
  readonly clock: Clock;
  /** Maximum number of concurrent runs in this process, for each class of slots; a number counts for each of them. */
  readonly concurrency: number | Readonly<Record<SlotClass, number>>;
  /**
   * Duration of a lease, in milliseconds: the time after which the job of a killed worker is taken back. Default: 30
   * s.
   */
  readonly leaseMs?: number;
  /** Interval between two renewals, in milliseconds. Must be well below `leaseMs`. Default: 10 s. */
  readonly heartbeatMs?: number;
  /**
   * Runs a suspect in a process of its own: a job that ran in a worker that was lost. Each class of slots has a place
   * for one suspect, so that the slots stay free for other jobs. Default: suspects run in the slots like all jobs.
   */
  readonly runAlone?: RunAlone;
  /** Interval between two claims when no notification arrives, in milliseconds. Default: 5 s. */
  readonly pollMs?: number;
}

/** A worker that claims jobs and runs them. Its owner must stop it. */
export interface Worker {
  start(): void;
  /**
   * Stops claiming, waits `graceMs` for running jobs, then aborts them and releases them without counting the
   * attempt. Resolves at the latest one second after that. A handler that ignores its signal keeps its lease until
   * the lease expires.
   */
  stop(graceMs: number): Promise<void>;
}

/** Time for handlers to end after the abort and for their jobs to be released, in milliseconds. */
const abortGraceMs = 1_000;
const retryClaimMs = 1_000;
/** Interval between two claims of suspects, in milliseconds. */
const suspectsMs = 1_000;
const scheduleMs = 1_000;
const heartbeatFailure = 'recording the heartbeat of the worker failed';
/** Maximum number of active runs per slot, including those whose outcome is still being recorded. */
const maxRunsPerSlot = 4;

/** The slots of one class, and the tasks that run in them. */
interface SlotPool {
  readonly slots: SlotClass;
  readonly size: number;
  readonly tasks: readonly string[];
}

export function openWorker(options: WorkerOptions): Worker {
  return new QueueWorker(options);
}

interface Room {
  readonly claim: Claim;
  /** Maximum number of runs. */
  readonly limit: number;
}

class QueueWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #bound: ReadonlyMap<string, BoundTask>;
  readonly #claim: Claim;
  readonly #pools: readonly SlotPool[];
  readonly #claimDatabase: Database;
  readonly #runDeps: RunDeps;
  readonly #running = new ActiveRuns();
  readonly #laneShares = new LaneShares();
  readonly #wakeUp = new WakeUp();
  readonly #presence: WorkerPresence;
  readonly #repeating: Repeating[] = [];
  #unsubscribe: (() => void) | undefined;
  #claiming: Promise<void> | undefined;
  #foundWork = false;
  #stopping = false;
  #stopped: Promise<void> | undefined;
  #entering: Promise<void> | undefined;
  #reported: readonly string[] = [];
  /** `performance.now()` from which on the jobs of lost workers are taken back. */
  #reapFrom = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#presence = new WorkerPresence(options.database, options.clock);
    this.#bound = new Map(options.tasks.map((bound) => [bound.task.name, bound]));
    if (this.#bound.size !== options.tasks.length)
      throw new Error('Two handlers are bound to the same task.');
    const names = new Set(options.schedules?.map(({ name }) => name));
    if (names.size !== (options.schedules?.length ?? 0)) throw new Error('Two schedules have the same name.');
    const { leaseMs = 30_000, clock, database } = options;
    const batches = options.tasks.flatMap(({ task }) =>
      task.batch ? [[task.name, task.batch] as const] : [],
    );
    const suspects = options.runAlone && 'without';
    this.#claim = {
      tasks: [...this.#bound.keys()],
      batches: new Map(batches),
      leaseMs,
      clock,
      ...(suspects && { suspects }),
    };
    this.#pools = poolsOf(options);
    // On SQLite completions and claims share one commit. On Postgres they run concurrently, each as one statement.
    const sqlite = database.dialect === 'sqlite';
    this.#claimDatabase = sqlite ? groupTransactions(database) : database;
    const complete: Complete = (jobs) => completeJobs(this.#claimDatabase, jobs);
    this.#runDeps = { ...options, complete: sqlite ? complete : groupCompletions(complete) };
  }

  start(): void {
    if (this.#claiming !== undefined) throw new Error('The worker has been started already.');
    const { database, clock, heartbeatMs = 10_000, schedules = [] } = this.#options;
    this.#unsubscribe = database.subscribe(jobsChannel, () => this.#wakeUp.signal());
    const checkMs = this.#checkMs;
    this.#repeat(heartbeatMs, () => this.#heartbeat(), 'lease renewal failed');
    // Separate from the heartbeat, which may hang when the database does not respond. Must detect the loss well
    // before the lease expires, because another worker starts the job then.
    const unrenewedMs = this.#claim.leaseMs - checkMs;
    this.#repeat(checkMs / 2, async () => this.#running.abortUnrenewed(unrenewedMs), 'lease check failed');
    this.#repeat(checkMs, () => this.#maintain(), 'queue maintenance failed');
    if (schedules.length > 0) {
      this.#repeat(
        scheduleMs,
        () => enqueueSchedules(database, schedules, clock),
        'enqueuing scheduled jobs failed',
      );
    }
    const { runAlone } = this.#options;
    if (runAlone !== undefined)
      this.#repeat(
        suspectsMs,
        () => this.#claimSuspects(runAlone),
        'claiming jobs failed; it will be retried',
      );
    this.#entering = this.#attempt(() => this.#presence.enter(), heartbeatFailure);
    this.#repeat(presenceMs, () => this.#presence.beat(), heartbeatFailure);
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
    await this.#entering;
    await this.#attempt(() => this.#presence.leave(), heartbeatFailure);
  }

  async #claimLoop(): Promise<void> {
    const { pollMs = 5_000, log, database } = this.#options;
    while (!this.#stopping) {
      try {
        const room = this.#room();
        if (room !== undefined && (await this.#claimInto(room))) continue;
        // Without a free slot the next claim follows the end of a run.
        const nextClaimMs = room && (await msUntilNextClaim(database, room.claim));
        await this.#wakeUp.wait(Math.min(pollMs, nextClaimMs ?? pollMs));
      } catch (error) {
        log.error({ err: error }, 'claiming jobs failed; it will be retried');
        await this.#wakeUp.wait(retryClaimMs);
      }
    }
  }

  /**
   * Returns a claim of the tasks whose class has free slots; `undefined` if none has. The limit is that of the fullest
   * of these classes, so that one statement serves all classes and every claimed job has a slot.
   */
  #room(): Room | undefined {
    const free = this.#pools.map((pool) => ({ ...pool, free: this.#freeSlots(pool) }));
    const open = free.filter((pool) => pool.free > 0);
    if (open.length === 0) return undefined;
    const tasks = open.flatMap((pool) => pool.tasks);
    return { claim: { ...this.#claim, tasks }, limit: Math.min(...open.map((pool) => pool.free)) };
  }

  #freeSlots({ slots, size }: SlotPool): number {
    const { handling, held } = this.#running.count(slots);
    return Math.min(size - handling, maxRunsPerSlot * size - held);
  }

  async #claimInto({ claim, limit }: Room): Promise<boolean> {
    const leasedAt = performance.now();
    const hints = { expectWork: this.#foundWork, excludedLanes: this.#laneShares.excludedLanes(leasedAt) };
    const claimed = await claimJobs(this.#claimDatabase, claim, limit, hints);
    this.#foundWork = claimed.length > 0;
    if (this.#stopping) await this.#release(claimed.flat());
    else for (const jobs of claimed) this.#run(jobs, leasedAt);
    return this.#foundWork;
  }

  #run(jobs: ClaimedJobs, leasedAt: number): void {
    const [{ task, lane, lease_token: token }] = jobs;
    const bound = this.#bound.get(task);
    if (bound === undefined) throw new Error(`A job of the unknown task ${task} was claimed.`);
    if (lane !== null) this.#laneShares.onTaken(lane, leasedAt);
    this.#running.add({
      token,
      slots: bound.task.slots,
      leasedAt,
      start: async (signal, handled) => {
        await runJobs(this.#runDeps, { bound, jobs, signal, handled });
        if (lane !== null) this.#laneShares.onEnded(lane, performance.now());
      },
      changed: () => this.#wakeUp.signal(),
    });
  }

  /** Claims one suspect for each class whose place is free. */
  async #claimSuspects(run: RunAlone): Promise<void> {
    const { database } = this.#options;
    if (!(await hasSuspects(database.queries))) return;
    for (const { slots, tasks } of this.#pools) {
      const place = `alone-${slots}` as const;
      if (this.#stopping || this.#running.count(place).held > 0) continue;
      const leasedAt = performance.now();
      const claim: Claim = { ...this.#claim, tasks, batches: new Map(), suspects: 'only' };
      const [jobs] = await claimJobs(database, claim, 1);
      if (jobs === undefined) continue;
      if (this.#stopping) await this.#release(jobs);
      else this.#addSuspect(run, jobs, { slots: place, leasedAt });
    }
  }

  #addSuspect(run: RunAlone, jobs: ClaimedJobs, place: Pick<NewRun, 'slots' | 'leasedAt'>): void {
    this.#running.add({
      ...place,
      token: jobs[0].lease_token,
      start: (signal) => runSuspect(this.#options, run, jobs, signal),
      changed: () => this.#wakeUp.signal(),
    });
  }

  async #release(jobs: readonly ClaimedJob[]): Promise<void> {
    const { database, clock } = this.#options;
    for (const job of jobs) await releaseJob(database, job, clock);
  }

  async #heartbeat(): Promise<void> {
    const { tokens } = this.#running;
    if (tokens.length === 0) return;
    const leasedAt = this.#running.beginRenewal();
    const held = await renewLeases(this.#options.database, tokens, this.#claim);
    this.#running.renewed(tokens, held, leasedAt);
  }

  /** Interval between two rounds of maintenance, in milliseconds. */
  get #checkMs(): number {
    return this.#claim.leaseMs / 6;
  }

  async #maintain(): Promise<void> {
    const { database, log, unhandled = [] } = this.#options;
    try {
      await this.#takeBack();
    } catch (error) {
      // The database did not respond to other workers either. They need this time to give back their jobs.
      this.#reapFrom = performance.now() + 2 * this.#checkMs;
      throw error;
    }
    const known = [...this.#claim.tasks, ...unhandled.map(({ name }) => name)];
    this.#reported = await reportUnknownTasks(database.queries, known, this.#reported, log);
  }

  /** Gives back the jobs that this worker had to abandon, then takes back those of lost workers. */
  async #takeBack(): Promise<void> {
    const { database, clock, log, telemetry } = this.#options;
    const { abandoned } = this.#running;
    if (abandoned.length > 0) {
      await giveBackLeases(database, clock, abandoned);
      this.#running.forget(abandoned);
    }
    if (performance.now() < this.#reapFrom) return;
    const reaped = await reapExpiredLeases(database, clock, this.#running.tokens);
    if (reaped === 0) return;
    log.warn({ jobs: reaped }, 'leases of a lost worker expired; its jobs were taken back');
    telemetry?.metrics.add('orgctx.job.leases_lost', reaped, { how: 'reaped' });
  }

  async #attempt(work: () => Promise<void>, failure: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.error({ err: error }, failure);
    }
  }

  #repeat(ms: number, work: () => Promise<void>, failure: string): void {
    const onError = (error: unknown): void => this.#options.log.error({ err: error }, failure);
    this.#repeating.push(repeatEvery(ms, work, onError));
  }
}

function poolsOf({ tasks, concurrency }: WorkerOptions): readonly SlotPool[] {
  const pools = slotClasses.map((slots) => ({
    slots,
    size: typeof concurrency === 'number' ? concurrency : concurrency[slots],
    tasks: tasks.flatMap(({ task }) => (task.slots === slots ? [task.name] : [])),
  }));
  return pools.filter((pool) => pool.tasks.length > 0);
}
