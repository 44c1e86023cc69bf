import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import { fairQueue } from '../../fair-queue.ts';
import { closed, overloaded } from '../../queue-errors.ts';
import { lateTasks } from './late-tasks.ts';
import { failed, refused } from './pool-errors.ts';
import { mayHang, watchProgress } from './progress.ts';
import {
  type Outcome,
  type Running,
  type SearchThread,
  SearchThreads,
  type Waiting,
} from './search-threads.ts';
import { tableExchange } from './table-exchange.ts';
import { SHARED, type Task, type TaskAnswer, type TaskMessage, type TaskResult } from './task.ts';

/** A thread looks at the clock between documents; one that is this late takes one long step and is ended. */
const GRACE_MS = 30;
/** One that has not begun by its deadline starts, or waits for a processor: it is ended only after so much longer. */
const START_MS = 10_000;
/** What took longer is not given to others to warm up with: it may be someone's slowest question. */
const QUICK_MS = 100;
/** Tasks that wait for a thread, of one organization and of all. One question to the advisor is about ten. */
const MOST_WAITING = { each: 128, all: 512 };
/** Of those that run aside, which take nobody else's place. */
const MOST_ASIDE = { each: 8, all: 64 };
/** Of threads that are set aside. To start one takes about 100 ms of a processor. */
const ASIDE = { everyMs: 1000, idleMs: 10_000 };

export interface PoolDeps {
  readonly root: string;
  readonly log: Logger;
  /**
   * Tasks at once. One more thread is kept warm: for an organization that runs nothing while all of these are taken,
   * and to take the place of one that has to be ended. As many again are started for what keeps aside.
   */
  readonly threads: number;
  /** What a thread runs. Default: the search thread. */
  readonly entry?: URL;
}

/**
 * Search threads behind a queue. A task that hangs costs its own thread; the others go on. However many tasks one
 * organization has, another one finds a thread. An organization for which a thread had to be ended has its patterns,
 * that task, and in the end all its tasks run aside for some seconds: one at a time, in threads of a lower priority, by
 * an engine that hangs in no pattern. Those are slow, so nothing that is slow there is held against anyone.
 */
export class SearchPool {
  readonly #deps: PoolDeps;
  readonly #threads: SearchThreads;
  readonly #aside: SearchThreads;
  readonly #queue = fairQueue<Waiting>(MOST_WAITING);
  readonly #queueAside = fairQueue<Waiting>(MOST_ASIDE);
  readonly #late = lateTasks();
  #lastId = 0;
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    const { threads, ...rest } = deps;
    const shared = {
      ...rest,
      tables: tableExchange<Worker>(),
      answered: (thread: SearchThread, was: Running, answer: TaskAnswer) =>
        this.#answered(thread, was, answer),
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
    this.#enqueue(waiting);
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
    for (const queue of [this.#queue, this.#queueAside]) {
      for (const waiting of queue.drain()) waiting.settle({ error: closed() });
    }
    await Promise.all([this.#threads.close(closed()), this.#aside.close(closed())]);
  }

  #enqueue(waiting: Waiting): void {
    const { organizationId } = waiting.task;
    const queue = this.#late.keepsAside(waiting.task) ? this.#queueAside : this.#queue;
    if (queue.add(organizationId, waiting)) return;
    waiting.settle(waiting.hasRun ? { late: true } : { error: overloaded() });
  }

  #dispatch(): void {
    while (this.#threads.canTake()) {
      const waiting = this.#queue.take(
        (_, oldest) => this.#mayRun(oldest) || this.#late.keepsAside(oldest.task),
      );
      if (waiting === undefined) break;
      // What it waits behind may have been late meanwhile.
      if (this.#late.keepsAside(waiting.task)) this.#enqueue(waiting);
      else this.#give(this.#threads.take(), waiting);
    }
    while (this.#aside.canTake()) {
      const waiting = this.#queueAside.take((organizationId) => this.#aside.busyFor(organizationId) === 0);
      if (waiting === undefined) break;
      this.#give(this.#aside.take(), waiting);
    }
  }

  /** The spare thread is for who has none: nobody alone can take them all, and who waits for a first comes first. */
  #mayRun({ task }: Waiting): boolean {
    return this.#threads.busy < this.#deps.threads || this.#threads.busyFor(task.organizationId) === 0;
  }

  #give(thread: SearchThread, waiting: Waiting): void {
    const id = ++this.#lastId;
    const budgetMs = Math.max(0, waiting.deadline - performance.now());
    const timer = setTimeout(() => this.#isLate(thread), budgetMs + GRACE_MS);
    const { task, shared } = waiting;
    // A thread that hung in it may have begun it before.
    Atomics.store(shared, SHARED.progress, 0);
    const engine = this.#isAside(thread) ? 'safe' : 'fast';
    const isWatched = engine === 'fast' && waiting.mayHang;
    const watch = isWatched ? watchProgress(shared, () => this.#hangs(thread)) : undefined;
    thread.running = { id, waiting, givenAt: performance.now(), timer, watch };
    const message: TaskMessage = { id, task, budgetMs, shared, engine };
    // Nothing is transferred: the words are shared.
    thread.worker.postMessage(message, []);
  }

  #isAside(thread: SearchThread): boolean {
    return thread.of === this.#aside;
  }

  #answered(thread: SearchThread, { waiting, givenAt }: Running, answer: TaskAnswer): void {
    if (!this.#isAside(thread)) {
      const isQuick = performance.now() - givenAt < QUICK_MS;
      if (!waiting.mayHang && isQuick) this.#threads.warmUpWith(waiting.task);
      if (waiting.mayHang && isSlow(waiting, answer)) this.#late.addSlow(waiting.task.organizationId);
    }
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
    this.#late.add(waiting.task);
    waiting.hasRun = true;
    // Behind its deadline nothing would call it back from the queue.
    if (performance.now() >= waiting.deadline) waiting.settle({ late: true });
    else if (Atomics.load(waiting.shared, SHARED.cancelled) === 0) this.#enqueue(waiting);
    thread.of.end(thread);
  }

  /** What it has begun it may never leave; what it has not begun it leaves at once. */
  #isLate(thread: SearchThread): void {
    const { running } = thread;
    if (running === undefined) return;
    const { task, shared, settle } = running.waiting;
    settle({ late: true });
    if (Atomics.load(shared, SHARED.progress) === 0) {
      Atomics.store(shared, SHARED.cancelled, 1);
      thread.running = { ...running, timer: setTimeout(() => thread.of.end(thread), START_MS) };
      return;
    }
    if (!this.#isAside(thread)) this.#late.add(task);
    thread.of.end(thread);
  }

  /** A task whose caller is gone need not start. False when it has started. */
  #forget(waiting: Waiting): boolean {
    const { organizationId } = waiting.task;
    return this.#queue.remove(organizationId, waiting) || this.#queueAside.remove(organizationId, waiting);
  }
}

/** Whether it came to its deadline while someone waited for it. */
function isSlow({ shared }: Waiting, answer: TaskAnswer): boolean {
  const isWanted = Atomics.load(shared, SHARED.cancelled) === 0;
  return (
    isWanted && 'result' in answer && 'incomplete' in answer.result && answer.result.incomplete === 'deadline'
  );
}
