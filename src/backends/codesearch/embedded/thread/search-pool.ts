import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import type { Task, TaskAnswer, TaskMessage, TaskResult, ThreadData } from './task.ts';

/** A thread looks at the clock between documents; one that is this late hangs in a pattern and is ended. */
const GRACE_MS = 50;

export interface PoolDeps {
  readonly root: string;
  readonly log: Logger;
  /** Tasks at once. One more thread is kept warm, to take the place of one that has to be ended. */
  readonly threads: number;
}

interface Waiting {
  readonly task: Task;
  readonly deadline: number;
  readonly cancelled: Int32Array;
  readonly settle: (outcome: Outcome) => void;
}

/** `late`: the deadline passed without an answer. */
type Outcome = { readonly result: TaskResult } | { readonly error: unknown } | { readonly late: true };

interface Thread {
  readonly worker: Worker;
  running: { readonly id: number; readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined;
}

/** Search threads behind a queue. A task that hangs costs its own thread; the others go on. */
export class SearchPool {
  readonly #deps: PoolDeps;
  readonly #idle: Thread[] = [];
  readonly #threads = new Set<Thread>();
  readonly #queue: Waiting[] = [];
  #lastId = 0;
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    for (let count = 0; count < deps.threads + 1; count++) this.#start();
  }

  /** `undefined` when the deadline passed first. @throws the signal's reason; Unavailable when the thread failed */
  async run(task: Task, budgetMs: number, signal: AbortSignal): Promise<TaskResult | undefined> {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const waiting: Waiting = {
      task,
      deadline: performance.now() + budgetMs,
      cancelled: new Int32Array(new SharedArrayBuffer(4)),
      settle: resolve,
    };
    const abort = (): void => {
      Atomics.store(waiting.cancelled, 0, 1);
      resolve({ error: signal.reason });
    };
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => resolve({ late: true }), budgetMs + GRACE_MS);
    this.#queue.push(waiting);
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
    for (const waiting of this.#queue.splice(0)) waiting.settle({ error: closed() });
    const threads = [...this.#threads];
    for (const thread of threads) thread.running?.waiting.settle({ error: closed() });
    await Promise.all(threads.map((thread) => this.#end(thread)));
  }

  /** The spare thread waits until another one is ended, so that a replacement never has to start first. */
  #dispatch(): void {
    while (this.#queue.length > 0 && this.#busy() < this.#deps.threads) {
      const thread = this.#idle.pop();
      if (thread === undefined) return;
      this.#give(thread, this.#queue.shift()!);
    }
  }

  #busy(): number {
    return this.#threads.size - this.#idle.length;
  }

  #give(thread: Thread, waiting: Waiting): void {
    const id = ++this.#lastId;
    const budgetMs = Math.max(0, waiting.deadline - performance.now());
    const timer = setTimeout(() => this.#replace(thread), budgetMs + GRACE_MS);
    thread.running = { id, waiting, timer };
    const message: TaskMessage = { id, task: waiting.task, budgetMs, cancelled: waiting.cancelled };
    // Nothing is transferred: the word of `cancelled` is shared.
    thread.worker.postMessage(message, []);
  }

  #start(): void {
    const data: ThreadData = { root: this.#deps.root };
    const worker = new Worker(threadEntry(), { workerData: data, name: 'search' });
    const thread: Thread = { worker, running: undefined };
    worker.unref();
    worker.on('message', (answer: TaskAnswer) => this.#answered(thread, answer));
    worker.on('error', (error) => {
      this.#deps.log.error({ err: error }, 'search thread failed');
      thread.running?.waiting.settle({ error: failed(error) });
      this.#replace(thread);
    });
    this.#threads.add(thread);
    // Taken from the other end: threads that have indexes open come first.
    this.#idle.unshift(thread);
  }

  #answered(thread: Thread, answer: TaskAnswer): void {
    const { running } = thread;
    if (running?.id !== answer.id) return;
    clearTimeout(running.timer);
    thread.running = undefined;
    this.#idle.push(thread);
    if ('result' in answer) running.waiting.settle({ result: answer.result });
    else {
      this.#deps.log.error({ failure: answer.failure, stack: answer.stack }, 'search task failed');
      running.waiting.settle({ error: failed(new Error(answer.failure)) });
    }
    this.#dispatch();
  }

  #replace(thread: Thread): void {
    if (!this.#threads.has(thread)) return;
    thread.running?.waiting.settle({ late: true });
    void this.#end(thread);
    if (this.#closed) return;
    this.#start();
    this.#dispatch();
  }

  async #end(thread: Thread): Promise<void> {
    clearTimeout(thread.running?.timer);
    this.#threads.delete(thread);
    const idle = this.#idle.indexOf(thread);
    if (idle >= 0) this.#idle.splice(idle, 1);
    await thread.worker.terminate();
  }

  /** A task whose caller is gone need not start. */
  #forget(waiting: Waiting): void {
    const at = this.#queue.indexOf(waiting);
    if (at >= 0) this.#queue.splice(at, 1);
  }
}

/** From source the thread is a `.ts` beside its folder; in the bundle it is an entry beside the chunk. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('../search-thread.ts', import.meta.url)
    : new URL('./search-thread.js', import.meta.url);
}

function failed(cause: unknown): Unavailable {
  return new Unavailable('search_failed', 'The search failed; try again, or with a simpler query.', {
    cause,
  });
}

function closed(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; try again in a moment.');
}
