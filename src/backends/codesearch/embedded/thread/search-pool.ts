import { Worker } from 'node:worker_threads';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import { fairQueue } from '../../fair-queue.ts';
import { closed, overloaded } from '../../queue-errors.ts';
import { failed, refused } from './pool-errors.ts';
import { hungPatterns, mayHang, type ProgressWatch, watchProgress } from './progress.ts';
import {
  type EngineName,
  SHARED,
  type Task,
  type TaskAnswer,
  type TaskMessage,
  type TaskResult,
  type ThreadData,
} from './task.ts';

/** A thread looks at the clock between documents; one that is this late hangs in a pattern and is ended. */
const GRACE_MS = 30;
/** Tasks that wait for a thread, of one organization and of all. One question to the advisor is about ten. */
const MOST_WAITING = { each: 128, all: 512 };

export interface PoolDeps {
  readonly root: string;
  readonly log: Logger;
  /**
   * Tasks at once. One more thread is kept warm: for an organization that runs nothing while all of these are taken,
   * and to take the place of one that has to be ended.
   */
  readonly threads: number;
  /** What a thread runs. Default: the search thread. */
  readonly entry?: URL;
}

/** Milliseconds before a thread takes the place of one that never answered; twice as long after each, up to the last. */
const PAUSE = { first: 100, last: 10_000 };

interface Waiting {
  readonly task: Task;
  readonly deadline: number;
  readonly shared: Int32Array;
  engine: EngineName;
  /** Set when a thread hung in it, and it waits for another. */
  hasRun: boolean;
  readonly settle: (outcome: Outcome) => void;
}

/** `late`: the deadline passed while a thread was at it. */
type Outcome = { readonly result: TaskResult } | { readonly error: unknown } | { readonly late: true };

interface Running {
  readonly id: number;
  readonly waiting: Waiting;
  readonly timer: NodeJS.Timeout;
  readonly watch: ProgressWatch | undefined;
}

interface Thread {
  readonly worker: Worker;
  running: Running | undefined;
  hasAnswered: boolean;
}

/**
 * Search threads behind a queue. A task that hangs costs its own thread; the others go on. However many tasks one
 * organization has, another one finds a thread.
 */
export class SearchPool {
  readonly #deps: PoolDeps;
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
  readonly #queue = fairQueue<Waiting>(MOST_WAITING);
  readonly #hung = hungPatterns();
  #lastId = 0;
  /** Threads that failed one after the other, none of which has answered anything. */
  #failures = 0;
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    for (let count = 0; count < deps.threads + 1; count++) this.#start();
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
    const threads = [...this.#threads];
    for (const thread of threads) thread.running?.waiting.settle({ error: closed() });
    await Promise.all(threads.map((thread) => this.#end(thread)));
  }

  #dispatch(): void {
    while (this.#idle.length > 0) {
      const waiting = this.#queue.take((organizationId) => this.#mayRun(organizationId));
      if (waiting === undefined) return;
      this.#give(this.#idleThread(waiting), waiting);
    }
  }

  /** Warm threads first; but who made threads hang waits for those that took their place, and leaves others theirs. */
  #idleThread({ task }: Waiting): Thread {
    return (this.#hung.isOf(task.organizationId) ? this.#idle.shift() : this.#idle.pop())!;
  }

  /** The spare thread is for who has none: nobody alone can take them all, and who waits for a first comes first. */
  #mayRun(organizationId: string): boolean {
    return this.#busy() < this.#deps.threads || this.#running(organizationId) === 0;
  }

  #running(organizationId: string): number {
    return [...this.#threads].filter(({ running }) => running?.waiting.task.organizationId === organizationId)
      .length;
  }

  #busy(): number {
    return this.#threads.size - this.#idle.length;
  }

  #give(thread: Thread, waiting: Waiting): void {
    const id = ++this.#lastId;
    const budgetMs = Math.max(0, waiting.deadline - performance.now());
    const timer = setTimeout(() => this.#replace(thread), budgetMs + GRACE_MS);
    const { task, shared } = waiting;
    if (this.#hung.has(task)) waiting.engine = 'safe';
    const { engine } = waiting;
    const watch =
      engine === 'fast' && mayHang(task) ? watchProgress(shared, () => this.#hangs(thread)) : undefined;
    thread.running = { id, waiting, timer, watch };
    const message: TaskMessage = { id, task, budgetMs, shared, engine };
    // Nothing is transferred: the words are shared.
    thread.worker.postMessage(message, []);
  }

  #start(): void {
    const data: ThreadData = { root: this.#deps.root };
    const worker = new Worker(this.#deps.entry ?? threadEntry(), { workerData: data, name: 'search' });
    const thread: Thread = { worker, running: undefined, hasAnswered: false };
    worker.unref();
    worker.on('message', (answer: TaskAnswer) => this.#answered(thread, answer));
    worker.on('error', (error) => {
      thread.running?.waiting.settle({ error: failed(error) });
      if (thread.hasAnswered) {
        this.#deps.log.error({ err: error }, 'search thread failed');
        this.#replace(thread);
      } else this.#replaceLater(thread, error);
    });
    this.#threads.add(thread);
    // Taken from the other end: threads that have indexes open come first.
    this.#idle.unshift(thread);
  }

  #answered(thread: Thread, answer: TaskAnswer): void {
    const { running } = thread;
    thread.hasAnswered = true;
    this.#failures = 0;
    if (running?.id !== answer.id) return;
    stopTimers(running);
    thread.running = undefined;
    this.#idle.push(thread);
    if ('result' in answer) running.waiting.settle({ result: answer.result });
    else if ('refusal' in answer) running.waiting.settle({ error: refused(answer.refusal) });
    else {
      this.#deps.log.error({ failure: answer.failure, stack: answer.stack }, 'search task failed');
      running.waiting.settle({ error: failed(new Error(answer.failure)) });
    }
    this.#dispatch();
  }

  /** The thread is in a pattern that it may never leave. Its task begins anew, with what hangs in none. */
  #hangs(thread: Thread): void {
    const waiting = thread.running?.waiting;
    if (waiting === undefined) return;
    stopTimers(thread.running!);
    thread.running = undefined;
    this.#hung.add(waiting.task);
    waiting.hasRun = true;
    const isWanted = Atomics.load(waiting.shared, SHARED.cancelled) === 0;
    if (isWanted && !this.#queue.add(waiting.task.organizationId, waiting)) waiting.settle({ late: true });
    this.#replace(thread);
  }

  #replace(thread: Thread): void {
    if (!this.#threads.has(thread)) return;
    thread.running?.waiting.settle({ late: true });
    void this.#end(thread);
    if (this.#closed) return;
    this.#start();
    this.#dispatch();
  }

  /** What cannot start is not started without end: the machine has other things to do. */
  #replaceLater(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return;
    this.#failures += 1;
    const pauseMs = Math.min(PAUSE.last, PAUSE.first * 2 ** (this.#failures - 1));
    const failures = this.#failures;
    const detail = failures === 1 ? { err: error, pauseMs } : { failures, pauseMs };
    this.#deps.log.error(detail, 'search thread failed before it answered; another is started after a pause');
    void this.#end(thread);
    const start = (): void => {
      if (this.#closed) return;
      this.#start();
      this.#dispatch();
    };
    setTimeout(start, pauseMs).unref();
  }

  async #end(thread: Thread): Promise<void> {
    if (thread.running !== undefined) stopTimers(thread.running);
    this.#threads.delete(thread);
    const idle = this.#idle.indexOf(thread);
    if (idle >= 0) this.#idle.splice(idle, 1);
    await thread.worker.terminate();
  }

  /** A task whose caller is gone need not start. False when it has started. */
  #forget(waiting: Waiting): boolean {
    return this.#queue.remove(waiting.task.organizationId, waiting);
  }
}

function stopTimers({ timer, watch }: Running): void {
  clearTimeout(timer);
  watch?.stop();
}

/** From source the thread is a `.ts` beside its folder; in the bundle it is an entry beside the chunk. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../search-thread.ts', import.meta.url)
    : new URL('./search-thread.js', import.meta.url);
}
