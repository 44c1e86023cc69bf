import { Worker } from 'node:worker_threads';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { inTurns } from '../../../foundation/kernel/limits/in-turns.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { sourceLanguages } from '../languages.ts';
import type { ParseFailure, ParseResult, SourceText } from '../outline.ts';
import { maxFileBytes } from '../outline.ts';
import type { Extracted } from './extract-file.ts';
import { ParseBudget } from './parse-budget.ts';
import type { FromParseThread, ParseThreadData } from './parse-thread.ts';

/** Maximum time until a thread has started and loaded a grammar, in milliseconds. */
const startMs = 60_000;
/**
 * Maximum time of a file, in milliseconds, for a thread that gets hardly any processor time or does not answer how much
 * it used.
 */
const stuckMs = 60_000;
/** Time after which a thread without work ends, in milliseconds. */
const idleMs = 30_000;
/** Minimum time until the processor time of a thread is read, in milliseconds. Almost all files take less. */
const lookMs = 50;

export interface ParseQueueDeps {
  readonly log: Logger;
  /** Maximum memory of the syntax trees, in pages of 64 KiB. Default: 192 MiB. */
  readonly maxPages?: number;
  /** Maximum number of names that a file defines, imports and uses. Default: 100,000. */
  readonly maxMatches?: number;
  /** Entry point of a thread. Default: the parse thread. */
  readonly entry?: URL;
}

interface Waiting {
  readonly task: SourceText;
  readonly bytes: number;
  readonly budget: ParseBudget;
  /** The processor time that it may take, in milliseconds. */
  readonly limitMs: number;
  readonly settle: (outcome: Extracted | ParseFailure | Error) => void;
}

interface ParseThread {
  readonly worker: Worker;
  running: Waiting | undefined;
  /** Ends the thread. */
  timer: NodeJS.Timeout | undefined;
  /** Looks at the processor time that it has used. */
  look: NodeJS.Timeout | undefined;
}

/** Number of files that are handed over at a time: one that is parsed, and one that is ready when the thread is. */
export const filesAtOnce = 2;

/**
 * Parses files one at a time in a thread of its own, which starts with the first file and ends when idle. A file that
 * takes too long, or ends the thread, costs only itself: the thread is replaced.
 */
export class ParseQueue {
  readonly #deps: Required<Omit<ParseQueueDeps, 'entry'>> & Pick<ParseQueueDeps, 'entry'>;
  #thread: ParseThread | undefined;
  readonly #waiting: Waiting[] = [];
  /** The turn of the caller whose file was begun last. */
  #turn = 0;
  #closed = false;

  constructor(deps: ParseQueueDeps) {
    this.#deps = { maxPages: 3072, maxMatches: 100_000, ...deps };
  }

  /**
   * Parses files and returns their results in the same order. Calls with the same budget are one caller. Callers get
   * equal processor time while they have files.
   * @throws the reason of `signal`; Unavailable if the queue was closed
   */
  async parseFiles(
    files: readonly SourceText[],
    signal: AbortSignal,
    budget: ParseBudget = new ParseBudget(),
  ): Promise<readonly ParseResult[]> {
    return inTurns(files, filesAtOnce, (file) => {
      signal.throwIfAborted();
      return this.#parseFile(file, budget);
    });
  }

  /** Ends the thread. Files in progress fail with Unavailable. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = closedError();
    for (const { settle } of this.#waiting.splice(0)) settle(error);
    this.#thread?.running?.settle(error);
    if (this.#thread !== undefined) await this.#end(this.#thread);
  }

  async #parseFile(file: SourceText, budget: ParseBudget): Promise<ParseResult> {
    const { path, text } = file;
    const known = sourceLanguages.get(file.language);
    if (known === undefined) return { path, failed: 'unsupported' };
    const bytes = text.length > maxFileBytes ? text.length : Buffer.byteLength(text);
    if (bytes > maxFileBytes) return { path, failed: 'too_large' };
    const limitMs = budget.limitOf(bytes);
    if (limitMs === undefined) return { path, failed: 'budget' };
    const language = ('actual' in known ? known.actual?.(file) : undefined) ?? file.language;
    const outcome = await this.#run({ path, language, text }, { bytes, budget, limitMs });
    return typeof outcome === 'string' ? { path, failed: outcome } : { path, language, ...outcome };
  }

  #run(
    task: SourceText,
    limits: Pick<Waiting, 'bytes' | 'budget' | 'limitMs'>,
  ): Promise<Extracted | ParseFailure> {
    if (this.#closed) throw closedError();
    const { promise, resolve, reject } = Promise.withResolvers<Extracted | ParseFailure>();
    const settle: Waiting['settle'] = (outcome) =>
      outcome instanceof Error ? reject(outcome) : resolve(outcome);
    limits.budget.joinAt(this.#turn);
    this.#waiting.push({ task, ...limits, settle });
    this.#give();
    return promise;
  }

  /** Gives a waiting file to the thread if that is idle, and starts it as needed. */
  #give(): void {
    if (this.#closed || this.#waiting.length === 0 || this.#thread?.running !== undefined) return;
    const thread = (this.#thread ??= this.#start());
    const waiting = this.#takeNext();
    thread.running = waiting;
    this.#endAfter(thread, startMs);
    // Only a thread with work keeps the process alive.
    thread.worker.ref();
    thread.worker.postMessage(waiting.task, []);
  }

  /** Takes the first file of the caller with the lowest turn. */
  #takeNext(): Waiting {
    const lowest = Math.min(...this.#waiting.map(({ budget }) => budget.turn));
    const index = this.#waiting.findIndex(({ budget }) => budget.turn === lowest);
    this.#turn = lowest;
    return this.#waiting.splice(index, 1)[0]!;
  }

  #start(): ParseThread {
    const { entry = threadEntry(), maxPages, maxMatches } = this.#deps;
    const workerData: ParseThreadData = { maxPages, maxMatches };
    const worker = new Worker(entry, { workerData, name: 'parse' });
    const thread: ParseThread = { worker, running: undefined, timer: undefined, look: undefined };
    worker.on('message', (message: FromParseThread) => this.#onMessage(thread, message));
    worker.on('error', (error) => this.#fail(thread, 'crashed', error));
    worker.on('exit', () => this.#fail(thread, 'crashed', undefined));
    return thread;
  }

  #onMessage(thread: ParseThread, message: FromParseThread): void {
    // A terminated thread may have answered just before.
    if (thread !== this.#thread) return;
    const { running } = thread;
    if (message === 'started') {
      this.#endAfter(thread, stuckMs);
      this.#lookAfter(thread, lookMs);
      return;
    }
    clearTimeout(thread.look);
    thread.running = undefined;
    thread.worker.unref();
    this.#endAfter(thread, idleMs);
    running?.budget.spend(running.bytes, message.usedMs);
    running?.settle(JSON.parse(message.extracted) as Extracted);
    this.#give();
  }

  /**
   * Ends a thread when its file has taken its processor time. The time on the clock would also count what other work on
   * the host takes. `before`: what the thread had used when it was first asked, shortly after it began the file.
   */
  #lookAfter(thread: ParseThread, milliseconds: number, before?: number): void {
    const { running } = thread;
    const look = async (): Promise<void> => {
      const used = await usedMs(thread);
      if (running === undefined || thread.running !== running || thread !== this.#thread) return;
      const leftMs = running.limitMs - (used - (before ?? used));
      if (leftMs <= 0) this.#fail(thread, 'too_slow', undefined);
      else this.#lookAfter(thread, Math.max(leftMs, lookMs), before ?? used);
    };
    thread.look = setTimeout(() => void look(), milliseconds).unref();
  }

  #endAfter(thread: ParseThread, milliseconds: number): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => this.#fail(thread, 'too_slow', undefined), milliseconds).unref();
  }

  /** Ends a thread. The file in it fails; an idle thread has none. */
  #fail(thread: ParseThread, failed: ParseFailure, error: unknown): void {
    if (thread !== this.#thread) return;
    const { running } = thread;
    if (running !== undefined) {
      const { path, language } = running.task;
      this.#deps.log.warn({ path, language, failed, err: error }, 'a file could not be parsed');
      running.budget.spend(running.bytes, running.limitMs);
      running.settle(failed);
    }
    void this.#end(thread);
    this.#give();
  }

  async #end(thread: ParseThread): Promise<void> {
    clearTimeout(thread.timer);
    clearTimeout(thread.look);
    this.#thread = undefined;
    await thread.worker.terminate();
  }
}

/** Returns the processor time that a thread has used, in milliseconds; 0 once it has ended. */
async function usedMs({ worker }: ParseThread): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

function closedError(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; retry in a moment.');
}

/** Returns the entry of the thread: a `.ts` file beside this one in source, an entry beside the chunk in the bundle. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('parse-thread.ts', import.meta.url)
    : new URL('./parse-thread.js', import.meta.url);
}
