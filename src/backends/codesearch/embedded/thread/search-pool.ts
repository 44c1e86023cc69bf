import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import { fairQueue } from '../../fair-queue.ts';
import type { OnStart } from '../../port.ts';
import { closed, overloaded } from '../../queue-errors.ts';
import { failed, refused } from './pool-errors.ts';
import { isPattern, watchProgress } from './progress.ts';
import {
  type Outcome,
  type Running,
  type SearchThread,
  SearchThreads,
  type TaskLimits,
  type Waiting,
} from './search-threads.ts';
import { tableExchange } from './table-exchange.ts';
import { sharedFields, type Task, type TaskAnswer, type TaskMessage, type TaskResult } from './task.ts';
import { timedOutTasks } from './timed-out-tasks.ts';

/**
 * Time after the deadline before the caller stops waiting, in milliseconds. A thread checks the deadline between
 * documents: a later one is stuck in a pattern, or waits for a processor in another task.
 */
const graceMs = { pattern: 30, other: 5_000 } as const;
/**
 * Further time before a thread is terminated, in milliseconds: one that has not started a pattern, because it is still
 * starting up or waits for a processor, and one that runs another task, which always ends by itself.
 */
const patienceMs = { pattern: 10_000, other: 120_000 } as const;
/**
 * Maximum duration of a task that is used to warm up other threads, in milliseconds. A slower one may be an expensive
 * query, or rank a hostile text. A ranking opens all tables, so it takes longer.
 */
const quickMs = { search: 100, rank: 2_000 } as const;
/**
 * Maximum numbers of waiting tasks, of one organization and overall. One question to the advisor is about ten tasks.
 */
const maxWaiting = { each: 128, all: 512 };
/** Maximum numbers of waiting tasks in quarantine, which take no slots of other tasks. */
const maxQuarantined = { each: 8, all: 64 };
/**
 * Limits of quarantine threads: minimum interval between two starts, and idle time before they end, in milliseconds.
 * Starting one takes about 100 ms of processor time.
 */
const quarantineThreads = { everyMs: 1000, idleMs: 10_000 };

export interface PoolDeps {
  readonly root: string;
  readonly log: Logger;
  /**
   * Number of concurrent tasks. One more thread is kept warm: for an organization that runs nothing while all others
   * are busy, and to replace a terminated thread. The same number of threads may be started for the quarantine.
   */
  readonly threads: number;
  /** Entry point of a thread. Default: the search thread. */
  readonly entry?: URL;
  /** Settles when threads may start; tasks wait until then. Default: the first one starts at once. */
  readonly startWhen?: Promise<void> | undefined;
}

/**
 * Runs tasks in search threads behind a queue. A task that hangs affects only its own thread. The number of tasks of
 * one organization never prevents another one from getting a thread. If a thread had to be terminated for a pattern of
 * a caller, the patterns of this caller are quarantined for some seconds: they run one at a time for each organization,
 * in threads of a lower priority, with an engine that cannot hang in a pattern. Those are slow, so slowness there does
 * not extend the quarantine. Tasks without patterns always end by themselves, and a late one only means that the
 * machine is busy: they are neither terminated nor quarantined.
 */
export class SearchPool {
  readonly #deps: PoolDeps;
  readonly #threads: SearchThreads;
  readonly #quarantine: SearchThreads;
  readonly #queue = fairQueue<Waiting>(maxWaiting);
  readonly #quarantineQueue = fairQueue<Waiting>(maxQuarantined);
  readonly #timedOut = timedOutTasks();
  #lastId = 0;
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    const { threads, ...rest } = deps;
    const shared = {
      ...rest,
      tables: tableExchange<Worker>(),
      onAnswer: (thread: SearchThread, running: Running, answer: TaskAnswer) =>
        this.#onAnswer(thread, running, answer),
      onAvailable: () => this.#dispatch(),
    };
    this.#threads = new SearchThreads({ ...shared, max: threads + 1 });
    this.#quarantine = new SearchThreads({ ...shared, max: threads, onDemand: quarantineThreads });
  }

  /**
   * Runs a task. Returns `undefined` if the deadline passed while a thread ran it.
   * @throws the signal's reason; InvalidInput; Unavailable if the thread failed, if too many tasks are waiting, or if
   * no thread was free within `waitMs`
   */
  async run(
    task: Task,
    limits: TaskLimits,
    signal: AbortSignal,
    onStart?: OnStart,
  ): Promise<TaskResult | undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const waiting: Waiting = {
      task,
      isPattern: isPattern(task),
      limits,
      onStart,
      deadline: undefined,
      timer: undefined,
      shared: new Int32Array(new SharedArrayBuffer(8)),
      hasHung: false,
      settle: resolve,
    };
    const abort = (): void => {
      Atomics.store(waiting.shared, sharedFields.cancelled, 1);
      resolve({ error: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#enqueue(waiting, limits.waitMs);
    this.#dispatch();
    try {
      const outcome = await promise;
      if ('error' in outcome) throw outcome.error;
      return 'timedOut' in outcome ? undefined : outcome.result;
    } finally {
      clearTimeout(waiting.timer);
      signal.removeEventListener('abort', abort);
      this.#forget(waiting);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of [this.#queue, this.#quarantineQueue]) {
      for (const waiting of queue.drain()) waiting.settle({ error: closed() });
    }
    await Promise.all([this.#threads.close(closed()), this.#quarantine.close(closed())]);
  }

  /** Adds a task to its queue, for at most `waitMs`; without it, for what is left of the time it was given before. */
  #enqueue(waiting: Waiting, waitMs?: number): void {
    const { organizationId } = waiting.task;
    const refuse = (): void => waiting.settle(waiting.hasHung ? { timedOut: true } : { error: overloaded() });
    if (waitMs !== undefined) {
      clearTimeout(waiting.timer);
      waiting.timer = setTimeout(() => this.#forget(waiting) && refuse(), waitMs);
    }
    const queue = this.#timedOut.isQuarantined(waiting.task) ? this.#quarantineQueue : this.#queue;
    if (!queue.add(organizationId, waiting)) refuse();
  }

  #dispatch(): void {
    while (this.#threads.canTake()) {
      const waiting = this.#queue.take(
        (_, oldest) => this.#mayRun(oldest) || this.#timedOut.isQuarantined(oldest.task),
      );
      if (waiting === undefined) break;
      // A task of the caller may have timed out since this task was queued.
      if (this.#timedOut.isQuarantined(waiting.task)) this.#enqueue(waiting);
      else this.#give(this.#threads.take(), waiting);
    }
    while (this.#quarantine.canTake()) {
      const waiting = this.#quarantineQueue.take(
        (organizationId) => this.#quarantine.busyFor(organizationId) === 0,
      );
      if (waiting === undefined) break;
      this.#give(this.#quarantine.take(), waiting);
    }
  }

  /**
   * Returns whether a task may run. The spare thread is reserved for organizations without a running task, so that
   * none can take all threads.
   */
  #mayRun({ task }: Waiting): boolean {
    return this.#threads.busy < this.#deps.threads || this.#threads.busyFor(task.organizationId) === 0;
  }

  #give(thread: SearchThread, waiting: Waiting): void {
    const id = ++this.#lastId;
    const { task, shared, limits } = waiting;
    if (waiting.deadline === undefined) waiting.onStart?.();
    waiting.deadline ??= performance.now() + limits.deadlineMs;
    const deadlineMs = Math.max(0, waiting.deadline - performance.now());
    const lateMs = waiting.isPattern ? graceMs.pattern : graceMs.other;
    const timer = setTimeout(() => this.#onDeadline(thread), deadlineMs + lateMs);
    // A thread that hung may have started the task before.
    Atomics.store(shared, sharedFields.progress, 0);
    const engine = this.#isInQuarantine(thread) ? 'safe' : 'fast';
    const isWatched = engine === 'fast' && waiting.isPattern;
    const watch = isWatched ? watchProgress(shared, () => this.#onHang(thread)) : undefined;
    thread.running = { id, waiting, givenAt: performance.now(), timer, watch };
    const { processorMs } = limits;
    const message: TaskMessage = { id, task, deadlineMs, processorMs, shared, engine };
    // The transfer list is empty, because the memory is shared.
    thread.worker.postMessage(message, []);
  }

  #isInQuarantine(thread: SearchThread): boolean {
    return thread.owner === this.#quarantine;
  }

  #onAnswer(thread: SearchThread, { waiting, givenAt }: Running, answer: TaskAnswer): void {
    if (!this.#isInQuarantine(thread)) {
      const isQuick = performance.now() - givenAt < quickMs[waiting.task.kind];
      if (!waiting.isPattern && isQuick) this.#threads.warmUpWith(waiting.task);
      if (waiting.isPattern && isSlow(waiting, answer)) this.#timedOut.addSlow(waiting.task);
    }
    if ('result' in answer) waiting.settle({ result: answer.result });
    else if ('refusal' in answer) waiting.settle({ error: refused(answer.refusal) });
    else {
      this.#deps.log.error(
        { failure: answer.failure, stack: answer.stack },
        'search task failed; the caller gets an error',
      );
      waiting.settle({ error: failed(new Error(answer.failure)) });
    }
    this.#dispatch();
  }

  /** Handles a thread that may never return from a pattern. Its task is restarted with the engine that cannot hang. */
  #onHang(thread: SearchThread): void {
    const waiting = thread.running?.waiting;
    if (waiting === undefined) return;
    this.#timedOut.add(waiting.task);
    waiting.hasHung = true;
    const leftMs = (waiting.deadline ?? 0) - performance.now();
    if (leftMs <= 0) waiting.settle({ timedOut: true });
    else if (Atomics.load(waiting.shared, sharedFields.cancelled) === 0) this.#enqueue(waiting, leftMs);
    thread.owner.end(thread);
  }

  /**
   * Handles a thread that exceeded the deadline. A thread that has started a pattern is terminated, because it may
   * never return. Any other one ends its task as soon as it gets a processor.
   */
  #onDeadline(thread: SearchThread): void {
    const { running } = thread;
    if (running === undefined) return;
    const { task, shared, settle, ...waiting } = running.waiting;
    settle({ timedOut: true });
    if (waiting.isPattern && Atomics.load(shared, sharedFields.progress) !== 0) {
      if (!this.#isInQuarantine(thread)) this.#timedOut.add(task);
      thread.owner.end(thread);
      return;
    }
    Atomics.store(shared, sharedFields.cancelled, 1);
    const timer = setTimeout(
      () => {
        this.#deps.log.error(
          { task: task.kind },
          'search thread did not return from a task; a replacement starts',
        );
        thread.owner.end(thread);
      },
      waiting.isPattern ? patienceMs.pattern : patienceMs.other,
    );
    thread.running = { ...running, timer };
  }

  /** Removes a waiting task from its queue. Returns false if it has started. */
  #forget(waiting: Waiting): boolean {
    const { organizationId } = waiting.task;
    return (
      this.#queue.remove(organizationId, waiting) || this.#quarantineQueue.remove(organizationId, waiting)
    );
  }
}

/** Returns whether the task reached its deadline while its caller still waited. */
function isSlow({ shared }: Waiting, answer: TaskAnswer): boolean {
  const hasCaller = Atomics.load(shared, sharedFields.cancelled) === 0;
  return (
    hasCaller &&
    'result' in answer &&
    'incomplete' in answer.result &&
    answer.result.incomplete === 'deadline'
  );
}
