import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import { failed } from './pool-errors.ts';
import type { ProgressWatch } from './progress.ts';
import { startThread } from './start-thread.ts';
import type { TableExchange } from './table-exchange.ts';
import type { Task, TaskAnswer, TaskMessage, TaskResult } from './task.ts';

/** Milliseconds before a thread takes the place of one that never answered; twice as long after each, up to the last. */
const PAUSE = { first: 100, last: 10_000 };
/** What a thread does to warm up for takes no longer. */
const WARM_UP_MS = 200;
const WARM_UP = 0;

export interface Waiting {
  readonly task: Task;
  /** Whether a thread may hang in it. */
  readonly mayHang: boolean;
  readonly deadline: number;
  readonly shared: Int32Array;
  /** Set when a thread hung in it, and it waits for another. */
  hasRun: boolean;
  readonly settle: (outcome: Outcome) => void;
}

/** `late`: the deadline passed while a thread was at it. */
export type Outcome = { readonly result: TaskResult } | { readonly error: unknown } | { readonly late: true };

export interface Running {
  readonly id: number;
  readonly waiting: Waiting;
  /** By the clock of `performance`. */
  readonly givenAt: number;
  readonly timer: NodeJS.Timeout;
  readonly watch: ProgressWatch | undefined;
}

export interface SearchThread {
  readonly worker: Worker;
  /** The threads that it is one of. */
  readonly of: SearchThreads;
  running: Running | undefined;
  /** Until then it may be at its start, and has no index open. */
  hasAnswered: boolean;
  isWarmingUp: boolean;
}

export interface ThreadsDeps {
  readonly root: string;
  readonly log: Logger;
  /** What a thread runs. Default: the search thread. */
  readonly entry?: URL | undefined;
  /** Of all threads of the process. */
  readonly tables: TableExchange<Worker>;
  readonly most: number;
  /** A thread answered what it was given, and lies idle. */
  readonly answered: (thread: SearchThread, was: Running, answer: TaskAnswer) => void;
  /** There may be a thread where there was none. */
  readonly came: () => void;
  /**
   * Threads of a lower priority, which start when they are wanted, `everyMs` apart at least, and end after `idleMs`
   * in which none of them answered. Without it all are started at once and kept.
   */
  readonly low?: { readonly everyMs: number; readonly idleMs: number };
}

/** Threads of one kind: starts them, and puts another in the place of one that ends. */
export class SearchThreads {
  readonly #deps: ThreadsDeps;
  readonly #all = new Set<SearchThread>();
  /** Who answered last comes last, and is taken first: it has indexes open. */
  readonly #idle: SearchThread[] = [];
  /** Threads that failed one after the other, none of which has answered anything. */
  #failures = 0;
  #warmUp: Task | undefined;
  #mayStartAt = 0;
  #startTimer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: ThreadsDeps) {
    this.#deps = deps;
    if (deps.low === undefined) for (let count = 0; count < deps.most; count++) this.#start();
  }

  get busy(): number {
    return this.#all.size - this.#idle.length;
  }

  /** How many are at something of this organization. */
  busyFor(organizationId: string): number {
    return [...this.#all].filter(({ running }) => running?.waiting.task.organizationId === organizationId)
      .length;
  }

  /** Threads that have not answered anything yet are given this task, and what they answer is thrown away. */
  warmUpWith(task: Task): void {
    this.#warmUp = task;
    for (const thread of this.#idle) this.#warm(thread);
  }

  #warm(thread: SearchThread): void {
    if (thread.hasAnswered || thread.isWarmingUp || this.#warmUp === undefined) return;
    thread.isWarmingUp = true;
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const budgetMs = WARM_UP_MS;
    const message: TaskMessage = { id: WARM_UP, task: this.#warmUp, budgetMs, shared, engine: 'fast' };
    thread.worker.postMessage(message, []);
  }

  /** Whether there is a thread to take. Where it is only too early to start one, `came` is called when it is time. */
  canTake(): boolean {
    if (this.#idle.length > 0) return true;
    if (this.#closed || this.#deps.low === undefined || this.#all.size >= this.#deps.most) return false;
    const waitMs = this.#mayStartAt - performance.now();
    if (waitMs > 0) {
      this.#startTimer ??= setTimeout(() => {
        this.#startTimer = undefined;
        this.#deps.came();
      }, waitMs + 1).unref();
    }
    return waitMs <= 0;
  }

  /** Only where `canTake` says so. */
  take(): SearchThread {
    if (this.#idle.length === 0) this.#start();
    return this.#idle.pop()!;
  }

  /** Nothing is heard of the thread from now on, nor settled of what it was at. */
  end(thread: SearchThread, pauseMs = 0): void {
    if (!this.#all.has(thread)) return;
    void this.#terminate(thread);
    if (this.#closed) return;
    this.#mayStartAt = Math.max(this.#mayStartAt, performance.now() + pauseMs);
    if (pauseMs > 0) setTimeout(() => this.#refill(), pauseMs).unref();
    else this.#refill();
  }

  /** One at a time: to start one takes a processor from those that search. */
  #refill(): void {
    const { low, most, came } = this.#deps;
    if (this.#closed) return;
    const isStarting = this.#idle.some(({ isWarmingUp, hasAnswered }) => isWarmingUp && !hasAnswered);
    if (low === undefined && this.#all.size < most && !isStarting) this.#start();
    came();
  }

  /** Ends all of them. What they were at is settled with the error. */
  async close(error: unknown): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#startTimer);
    clearTimeout(this.#idleTimer);
    const threads = [...this.#all];
    for (const { running } of threads) running?.waiting.settle({ error });
    await Promise.all(threads.map((thread) => this.#terminate(thread)));
  }

  #start(): void {
    const { root, entry, tables, low } = this.#deps;
    const worker = startThread({ root, entry, hasLowPriority: low !== undefined }, tables, (answer) =>
      this.#answered(thread, answer),
    );
    const thread: SearchThread = {
      worker,
      of: this,
      running: undefined,
      hasAnswered: false,
      isWarmingUp: false,
    };
    worker.unref();
    worker.on('error', (error) => this.#failed(thread, error));
    if (low !== undefined) this.#mayStartAt = performance.now() + low.everyMs;
    this.#all.add(thread);
    this.#idle.unshift(thread);
    this.#warm(thread);
  }

  #answered(thread: SearchThread, answer: TaskAnswer): void {
    const { running } = thread;
    if (!thread.hasAnswered) this.#answers(thread);
    this.#failures = 0;
    // One that was ended may have answered right before: it must not be taken for idle.
    if (running?.id !== answer.id) return;
    stopTimers(running);
    thread.running = undefined;
    this.#idle.push(thread);
    this.#endIdleLater();
    this.#deps.answered(thread, running, answer);
  }

  /** From now on it goes before those that never did. */
  #answers(thread: SearchThread): void {
    thread.hasAnswered = true;
    const at = this.#idle.indexOf(thread);
    if (at >= 0) {
      this.#idle.splice(at, 1);
      const warm = this.#idle.findIndex(({ hasAnswered }) => hasAnswered);
      this.#idle.splice(warm < 0 ? this.#idle.length : warm, 0, thread);
    }
    this.#refill();
  }

  /** What cannot start is not started without end: the machine has other things to do. */
  #failed(thread: SearchThread, error: Error): void {
    if (!this.#all.has(thread)) return;
    thread.running?.waiting.settle({ error: failed(error) });
    if (thread.hasAnswered) {
      this.#deps.log.error({ err: error }, 'search thread failed');
      this.end(thread);
      return;
    }
    const failures = ++this.#failures;
    const pauseMs = Math.min(PAUSE.last, PAUSE.first * 2 ** (failures - 1));
    const detail = failures === 1 ? { err: error, pauseMs } : { failures, pauseMs };
    this.#deps.log.error(detail, 'search thread failed before it answered; another is started after a pause');
    this.end(thread, pauseMs);
  }

  #endIdleLater(): void {
    if (this.#deps.low === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) void this.#terminate(thread);
    }, this.#deps.low.idleMs).unref();
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

function stopTimers({ timer, watch }: Running): void {
  clearTimeout(timer);
  watch?.stop();
}
