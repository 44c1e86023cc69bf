import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import type { OnStart } from '../../port.ts';
import { failed } from './pool-errors.ts';
import type { ProgressWatch } from './progress.ts';
import { startThread } from './start-thread.ts';
import type { TableExchange } from './table-exchange.ts';
import { sharedFields, type Task, type TaskAnswer, type TaskMessage, type TaskResult } from './task.ts';

/**
 * Back-off before replacing a thread that failed before its first answer, in milliseconds. It doubles with each
 * failure up to the maximum.
 */
const backOff = { min: 100, max: 10_000 };
/** Limits of a warm-up task, in milliseconds. */
const warmUpLimits = {
  search: { deadlineMs: 200 },
  rank: { deadlineMs: 20_000, processorMs: 2_000 },
} as const;
/** The task id of warm-ups, whose answers are ignored. */
const warmUpId = 0;

/** Time limits of a task in milliseconds: of its wait, and from its start on the clock and on the processor. */
export interface TaskLimits {
  readonly waitMs: number;
  readonly deadlineMs: number;
  readonly processorMs?: number | undefined;
}

export interface Waiting {
  readonly task: Task;
  readonly limits: TaskLimits;
  readonly onStart: OnStart | undefined;
  /** True if the task runs a pattern, which may keep a thread busy without end. */
  readonly isPattern: boolean;
  /** Time of `performance.now()`; `undefined` before the first start. */
  deadline: number | undefined;
  /** Ends the wait. */
  timer: NodeJS.Timeout | undefined;
  readonly shared: Int32Array;
  /** True if a thread hung in it and it waits for another thread. */
  hasHung: boolean;
  readonly settle: (outcome: Outcome) => void;
}

/** `timedOut`: the deadline passed while a thread ran the task. */
export type Outcome =
  | { readonly result: TaskResult }
  | { readonly error: unknown }
  | { readonly timedOut: true };

export interface Running {
  readonly id: number;
  readonly waiting: Waiting;
  /** Time of `performance.now()`. */
  readonly givenAt: number;
  readonly timer: NodeJS.Timeout;
  readonly watch: ProgressWatch | undefined;
}

export interface SearchThread {
  readonly worker: Worker;
  /** The group that the thread belongs to. */
  readonly owner: SearchThreads;
  running: Running | undefined;
  /** False while the thread may still be starting up and has no index open. */
  hasAnswered: boolean;
  /** True after a ranking, which opens all tables of an organization. */
  hasRanked: boolean;
  /** The task that warms the thread up, and its memory, through which it is cancelled. */
  warmingUp: { readonly kind: Task['kind']; readonly shared: Int32Array } | undefined;
}

export interface ThreadsDeps {
  readonly root: string;
  readonly log: Logger;
  /** Entry point of a thread. Default: the search thread. */
  readonly entry?: URL | undefined;
  /** Shared by all threads of the process. */
  readonly tables: TableExchange<Worker>;
  readonly max: number;
  /** Called when a thread has answered its task and is idle. */
  readonly onAnswer: (thread: SearchThread, running: Running, answer: TaskAnswer) => void;
  /** Called when a thread may have become available. */
  readonly onAvailable: () => void;
  /**
   * If set, the threads have a lower priority, start on demand at intervals of at least `everyMs`, and end after
   * `idleMs` without an answer. Otherwise all threads are kept, and the further ones start after the first answer, or
   * when a task needs one.
   */
  readonly onDemand?: { readonly everyMs: number; readonly idleMs: number };
  /** Settles when the first thread that is kept may start. Default: it starts at once. */
  readonly startWhen?: Promise<void> | undefined;
}

/** A group of threads of one kind. Starts them, and replaces those that end. */
export class SearchThreads {
  readonly #deps: ThreadsDeps;
  readonly #all = new Set<SearchThread>();
  /** Idle threads. The one that answered last is at the end and is taken first, because it has indexes open. */
  readonly #idle: SearchThread[] = [];
  /** Number of consecutive failures of threads that never answered. */
  #failures = 0;
  #warmUp: Task | undefined;
  #mayStartAt = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: ThreadsDeps) {
    this.#deps = deps;
    if (deps.onDemand !== undefined) return;
    if (deps.startWhen === undefined) this.#start();
    else void deps.startWhen.then(() => this.#refill());
  }

  get busy(): number {
    return this.#all.size - this.#idle.length;
  }

  /** Returns the number of threads that run a task of this organization. */
  busyFor(organizationId: string): number {
    return [...this.#all].filter(({ running }) => running?.waiting.task.organizationId === organizationId)
      .length;
  }

  /**
   * Runs this task on threads that are not warm yet, and ignores their answers. A ranking warms every thread that has
   * not ranked; a search only those that have not answered anything, and it does not replace a ranking.
   */
  warmUpWith(task: Task): void {
    if (this.#warmUp?.kind === 'rank' && task.kind === 'search') return;
    this.#warmUp = task;
    for (const thread of this.#idle) this.#warm(thread);
  }

  #warm(thread: SearchThread): void {
    const task = this.#warmUp;
    if (task === undefined || thread.warmingUp !== undefined) return;
    if (task.kind === 'rank' ? thread.hasRanked : thread.hasAnswered) return;
    const shared = new Int32Array(new SharedArrayBuffer(8));
    thread.warmingUp = { kind: task.kind, shared };
    const limits = warmUpLimits[task.kind];
    const message: TaskMessage = { id: warmUpId, task, ...limits, shared, engine: 'fast' };
    thread.worker.postMessage(message, []);
  }

  /** Returns whether a thread is available. If one may only be started later, calls `onAvailable` at that time. */
  canTake(): boolean {
    if (this.#idle.length > 0) return true;
    // The first thread that is kept starts by itself, when it may.
    const mayStart = this.#deps.onDemand !== undefined || this.#all.size > 0;
    if (this.#closed || !mayStart || this.#all.size >= this.#deps.max) return false;
    const waitMs = this.#mayStartAt - performance.now();
    if (waitMs > 0) {
      this.#startTimer ??= setTimeout(() => {
        this.#startTimer = undefined;
        this.#deps.onAvailable();
      }, waitMs + 1).unref();
    }
    return waitMs <= 0;
  }

  /** Takes a thread. Must be called only if `canTake` returned true. */
  take(): SearchThread {
    if (this.#idle.length === 0) this.#start();
    const thread = this.#idle.pop()!;
    // The task that comes now warms the thread up, too.
    if (thread.warmingUp !== undefined) Atomics.store(thread.warmingUp.shared, sharedFields.cancelled, 1);
    return thread;
  }

  /** Terminates a thread. Its further messages are ignored, and its task is not settled. */
  end(thread: SearchThread, pauseMs = 0): void {
    if (!this.#all.has(thread)) return;
    void this.#terminate(thread);
    if (this.#closed) return;
    this.#mayStartAt = Math.max(this.#mayStartAt, performance.now() + pauseMs);
    if (pauseMs > 0) setTimeout(() => this.#refill(), pauseMs).unref();
    else this.#refill();
  }

  /** Starts a missing thread, one at a time, because starting takes processor time from searches. */
  #refill(): void {
    const { onDemand, max, onAvailable } = this.#deps;
    if (this.#closed) return;
    const isStarting = this.#idle.some(
      ({ warmingUp, hasAnswered }) => warmingUp !== undefined && !hasAnswered,
    );
    if (onDemand === undefined && this.#all.size < max && !isStarting) this.#start();
    onAvailable();
  }

  /** Terminates all threads and settles their tasks with the error. */
  async close(error: unknown): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#startTimer);
    clearTimeout(this.#idleTimer);
    const threads = [...this.#all];
    for (const { running } of threads) running?.waiting.settle({ error });
    await Promise.all(threads.map((thread) => this.#terminate(thread)));
  }

  #start(): void {
    const { root, entry, tables, onDemand } = this.#deps;
    const worker = startThread({ root, entry, hasLowPriority: onDemand !== undefined }, tables, (answer) =>
      this.#onAnswer(thread, answer),
    );
    const thread: SearchThread = {
      worker,
      owner: this,
      running: undefined,
      hasAnswered: false,
      hasRanked: false,
      warmingUp: undefined,
    };
    worker.unref();
    worker.on('error', (error) => this.#onError(thread, error));
    if (onDemand !== undefined) this.#mayStartAt = performance.now() + onDemand.everyMs;
    this.#all.add(thread);
    this.#idle.unshift(thread);
    this.#warm(thread);
  }

  #onAnswer(thread: SearchThread, answer: TaskAnswer): void {
    const { running } = thread;
    if (!thread.hasAnswered) this.#markWarm(thread);
    this.#failures = 0;
    if (answer.id === warmUpId) {
      endWarmUp(thread);
      // A ranking may have come meanwhile.
      if (this.#idle.includes(thread)) this.#warm(thread);
    }
    // A terminated thread may have answered just before; it must not be added to the idle threads.
    if (running?.id !== answer.id) return;
    stopTimers(running);
    thread.running = undefined;
    thread.hasRanked ||= running.waiting.task.kind === 'rank';
    this.#idle.push(thread);
    this.#endIdleLater();
    this.#deps.onAnswer(thread, running, answer);
  }

  /** Moves the thread ahead of those that have never answered. */
  #markWarm(thread: SearchThread): void {
    thread.hasAnswered = true;
    const at = this.#idle.indexOf(thread);
    if (at >= 0) {
      this.#idle.splice(at, 1);
      const warm = this.#idle.findIndex(({ hasAnswered }) => hasAnswered);
      this.#idle.splice(warm < 0 ? this.#idle.length : warm, 0, thread);
    }
    this.#refill();
  }

  /** Handles a failed thread. A back-off prevents an endless series of failing starts. */
  #onError(thread: SearchThread, error: Error): void {
    if (!this.#all.has(thread)) return;
    thread.running?.waiting.settle({ error: failed(error) });
    if (thread.hasAnswered) {
      this.#deps.log.error({ err: error }, 'search thread failed; a replacement starts');
      this.end(thread);
      return;
    }
    const failures = ++this.#failures;
    const pauseMs = Math.min(backOff.max, backOff.min * 2 ** (failures - 1));
    const detail = failures === 1 ? { err: error, pauseMs } : { failures, pauseMs };
    this.#deps.log.error(
      detail,
      'search thread failed before its first answer; a replacement starts after a back-off',
    );
    this.end(thread, pauseMs);
  }

  #endIdleLater(): void {
    if (this.#deps.onDemand === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) void this.#terminate(thread);
    }, this.#deps.onDemand.idleMs).unref();
  }

  async #terminate(thread: SearchThread): Promise<void> {
    if (thread.running !== undefined) stopTimers(thread.running);
    thread.running = undefined;
    this.#all.delete(thread);
    const idle = this.#idle.indexOf(thread);
    if (idle >= 0) this.#idle.splice(idle, 1);
    await thread.worker.terminate();
  }
}

/** Ends the warm-up of a thread. The thread has ranked unless its ranking was cancelled, which opens few tables. */
function endWarmUp(thread: SearchThread): void {
  const { warmingUp } = thread;
  thread.warmingUp = undefined;
  if (warmingUp?.kind !== 'rank') return;
  thread.hasRanked ||= Atomics.load(warmingUp.shared, sharedFields.cancelled) === 0;
}

function stopTimers({ timer, watch }: Running): void {
  clearTimeout(timer);
  watch?.stop();
}
