import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import { fairQueue } from '../../fair-queue.ts';
import { closed, overloaded } from '../../queue-errors.ts';
import { failed, refused } from './pool-errors.ts';
import { hungPatterns, mayHang, watchProgress } from './progress.ts';
import {
  type Outcome,
  type Running,
  type SearchThread,
  SearchThreads,
  type Waiting,
} from './search-threads.ts';
import { tableExchange } from './table-exchange.ts';
import { SHARED, type Task, type TaskAnswer, type TaskMessage, type TaskResult } from './task.ts';

/** A thread looks at the clock between documents; one that is this late hangs in a pattern and is ended. */
const GRACE_MS = 30;
/** Tasks that wait for a thread, of one organization and of all. One question to the advisor is about ten. */
const MOST_WAITING = { each: 128, all: 512 };
/** Of threads that are set aside. To start one takes about 100 ms of a processor. */
const ASIDE = { everyMs: 1000, idleMs: 10_000 };

export interface PoolDeps {
  readonly root: string;
  readonly log: Logger;
  /**
   * Tasks at once. One more thread is kept warm: for an organization that runs nothing while all of these are taken,
   * and to take the place of one that has to be ended. As many again are started for patterns of organizations
   * in whose patterns threads hung of late.
   */
  readonly threads: number;
  /** What a thread runs. Default: the search thread. */
  readonly entry?: URL;
}

/**
 * Search threads behind a queue. A task that hangs costs its own thread; the others go on. However many tasks one
 * organization has, another one finds a thread. An organization in whose patterns threads hung has its patterns run
 * aside for some seconds, one at a time, in threads of a lower priority.
 */
export class SearchPool {
  readonly #deps: PoolDeps;
  readonly #threads: SearchThreads;
  readonly #aside: SearchThreads;
  readonly #queue = fairQueue<Waiting>(MOST_WAITING);
  readonly #hung = hungPatterns();
  #lastId = 0;
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    const { threads, ...rest } = deps;
    const shared = {
      ...rest,
      tables: tableExchange<Worker>(),
      answered: (was: Running, answer: TaskAnswer) => this.#answered(was, answer),
      came: () => this.#dispatch(),
    };
    this.#threads = new SearchThreads({ ...shared, most: threads + 1 });
    this.#aside = new SearchThreads({ ...shared, most: threads, low: ASIDE });
  }

  /**
   * `undefined` when the deadline passed while a thread was at it.
   * @throws the signal's reason; InvalidInput; Unavailable when the thread failed, when too many tasks wait already,
   * or when no thread was free before the deadline.
   */
  async run(task: Task, budgetMs: number, signal: AbortSignal): Promise<TaskResult | undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const waiting: Waiting = {
      task,
      mayHang: mayHang(task),
      deadline: performance.now() + budgetMs,
      shared: new Int32Array(new SharedArrayBuffer(8)),
      engine: 'fast',
      hasRun: false,
      settle: resolve,
    };
    const abort = (): void => {
      Atomics.store(waiting.shared, SHARED.cancelled, 1);
      resolve({ error: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => {
      if (this.#forget(waiting)) resolve(waiting.hasRun ? { late: true } : { error: overloaded() });
    }, budgetMs);
    if (!this.#queue.add(task.organizationId, waiting)) resolve({ error: overloaded() });
    this.#dispatch();
    try {
      const outcome = await promise;
      if ('error' in outcome) throw outcome.error;
      return 'late' in outcome ? undefined : outcome.result;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#forget(waiting);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#queue.drain()) waiting.settle({ error: closed() });
    await Promise.all([this.#threads.close(closed()), this.#aside.close(closed())]);
  }

  #dispatch(): void {
    this.#occupy(this.#threads, (waiting) => !this.#runsAside(waiting) && this.#mayRun(waiting));
    this.#occupy(this.#aside, (waiting) => {
      return this.#runsAside(waiting) && this.#aside.busyFor(waiting.task.organizationId) === 0;
    });
  }

  #occupy(threads: SearchThreads, mayTake: (waiting: Waiting) => boolean): void {
    while (threads.canTake()) {
      const waiting = this.#queue.take((_, oldest) => mayTake(oldest));
      if (waiting === undefined) return;
      this.#give(threads.take(), waiting);
    }
  }

  /** The spare thread is for who has none: nobody alone can take them all, and who waits for a first comes first. */
  #mayRun({ task }: Waiting): boolean {
    return this.#threads.busy < this.#deps.threads || this.#threads.busyFor(task.organizationId) === 0;
  }

  #runsAside(waiting: Waiting): boolean {
    return waiting.mayHang && this.#hung.isOf(waiting.task.organizationId);
  }

  #give(thread: SearchThread, waiting: Waiting): void {
    const id = ++this.#lastId;
    const budgetMs = Math.max(0, waiting.deadline - performance.now());
    const timer = setTimeout(() => this.#isLate(thread), budgetMs + GRACE_MS);
    const { task, shared } = waiting;
    if (this.#hung.has(task)) waiting.engine = 'safe';
    const { engine } = waiting;
    const watch =
      engine === 'fast' && waiting.mayHang ? watchProgress(shared, () => this.#hangs(thread)) : undefined;
    thread.running = { id, waiting, timer, watch };
    const message: TaskMessage = { id, task, budgetMs, shared, engine };
    // Nothing is transferred: the words are shared.
    thread.worker.postMessage(message, []);
  }

  #answered({ waiting }: Running, answer: TaskAnswer): void {
    if (!waiting.mayHang) this.#threads.warmUpWith(waiting.task);
    if ('result' in answer) waiting.settle({ result: answer.result });
    else if ('refusal' in answer) waiting.settle({ error: refused(answer.refusal) });
    else {
      this.#deps.log.error({ failure: answer.failure, stack: answer.stack }, 'search task failed');
      waiting.settle({ error: failed(new Error(answer.failure)) });
    }
    this.#dispatch();
  }

  /** The thread is in a pattern that it may never leave. Its task begins anew, with what hangs in none. */
  #hangs(thread: SearchThread): void {
    const waiting = thread.running?.waiting;
    if (waiting === undefined) return;
    this.#hung.add(waiting.task);
    waiting.hasRun = true;
    const isWanted = Atomics.load(waiting.shared, SHARED.cancelled) === 0;
    // Behind its deadline nothing would call it back from the queue.
    const isLate = performance.now() >= waiting.deadline;
    if (isLate || (isWanted && !this.#queue.add(waiting.task.organizationId, waiting))) {
      waiting.settle({ late: true });
    }
    thread.of.end(thread);
  }

  #isLate(thread: SearchThread): void {
    const waiting = thread.running?.waiting;
    if (waiting?.mayHang === true) this.#hung.add(waiting.task);
    waiting?.settle({ late: true });
    thread.of.end(thread);
  }

  /** A task whose caller is gone need not start. False when it has started. */
  #forget(waiting: Waiting): boolean {
    return this.#queue.remove(waiting.task.organizationId, waiting);
  }
}
