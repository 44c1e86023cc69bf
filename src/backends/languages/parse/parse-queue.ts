import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import { inTurns } from '../../../foundation/kernel/limits/in-turns.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { sourceLanguages } from '../languages.ts';
import type { ParseFailure, ParseResult, SourceText } from '../outline.ts';
import { maxFileBytes } from '../outline.ts';
import type { Extracted } from './extract-file.ts';
import { ParseBudget } from './parse-budget.ts';
import type { FromParseThread, ParseAnswer, ParseThreadData } from './parse-thread.ts';

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

/** The file in the thread, and its answer. */
interface Running extends PromiseWithResolvers<ParseAnswer | ParseFailure> {
  readonly task: SourceText;
  /** The processor time that it may take, in milliseconds. */
  readonly limitMs: number;
}

/** Number of files that are handed over at a time: one that is parsed, and one that is ready when the thread is. */
export const filesAtOnce = 2;

/**
 * Parses files one at a time in a thread of its own, which starts with the first file and ends when idle. A file that
 * takes too long, or ends the thread, costs only itself: the thread is replaced.
 */
export class ParseQueue {
  readonly #deps: Required<Omit<ParseQueueDeps, 'entry'>> & Pick<ParseQueueDeps, 'entry'>;
  /** The files that wait, first those whose caller had the lowest turn when it handed them over. */
  readonly #queue = new PQueue({ concurrency: 1 });
  #thread: Worker | undefined;
  /** The file that the thread parses. */
  #running: Running | undefined;
  /** Ends the thread. */
  #timer: NodeJS.Timeout | undefined;
  /** Looks at the processor time that the thread has used. */
  #look: NodeJS.Timeout | undefined;
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
    this.#running?.reject(closedError());
    await this.#end();
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
    budget.joinAt(this.#turn);
    const { turn } = budget;
    const parse = async (): Promise<ParseAnswer | ParseFailure> => {
      this.#turn = turn;
      const answer = await this.#parse({ path, language, text }, limitMs);
      budget.spend(bytes, typeof answer === 'string' ? limitMs : answer.usedMs);
      return answer;
    };
    const answer = await this.#queue.add(parse, { priority: -turn });
    if (typeof answer === 'string') return { path, failed: answer };
    const extracted = JSON.parse(answer.extracted) as Extracted;
    return typeof extracted === 'string' ? { path, failed: extracted } : { path, language, ...extracted };
  }

  /** Parses a file in the thread, which is started as needed. */
  async #parse(task: SourceText, limitMs: number): Promise<ParseAnswer | ParseFailure> {
    if (this.#closed) throw closedError();
    const thread = (this.#thread ??= this.#start());
    const running: Running = { ...Promise.withResolvers(), task, limitMs };
    this.#running = running;
    this.#endAfter(thread, startMs);
    // Only a thread with work keeps the process alive.
    thread.ref();
    thread.postMessage(task, []);
    try {
      return await running.promise;
    } finally {
      this.#running = undefined;
      clearTimeout(this.#look);
      thread.unref();
    }
  }

  #start(): Worker {
    const { entry = threadEntry(), maxPages, maxMatches } = this.#deps;
    const workerData: ParseThreadData = { maxPages, maxMatches };
    const thread = new Worker(entry, { workerData, name: 'parse' });
    thread.on('message', (message: FromParseThread) => this.#onMessage(thread, message));
    thread.on('error', (error) => this.#fail(thread, 'crashed', error));
    thread.on('exit', () => this.#fail(thread, 'crashed', undefined));
    return thread;
  }

  #onMessage(thread: Worker, message: FromParseThread): void {
    // A terminated thread may have answered just before.
    if (thread !== this.#thread) return;
    if (message === 'started') {
      this.#endAfter(thread, stuckMs);
      this.#lookAfter(thread, lookMs);
    } else {
      this.#endAfter(thread, idleMs);
      this.#running?.resolve(message);
    }
  }

  /**
   * Ends a thread when its file has taken its processor time. The time on the clock would also count what other work on
   * the host takes. `before`: what the thread had used when it was first asked, shortly after it began the file.
   */
  #lookAfter(thread: Worker, milliseconds: number, before?: number): void {
    const running = this.#running;
    const look = async (): Promise<void> => {
      const used = await usedMs(thread);
      if (running === undefined || this.#running !== running) return;
      const leftMs = running.limitMs - (used - (before ?? used));
      if (leftMs <= 0) this.#fail(thread, 'too_slow', undefined);
      else this.#lookAfter(thread, Math.max(leftMs, lookMs), before ?? used);
    };
    this.#look = setTimeout(() => void look(), milliseconds).unref();
  }

  #endAfter(thread: Worker, milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(thread, 'too_slow', undefined), milliseconds).unref();
  }

  /** Ends a thread. The file in it fails; an idle thread has none. */
  #fail(thread: Worker, failed: ParseFailure, error: unknown): void {
    if (thread !== this.#thread) return;
    void this.#end();
    if (this.#running === undefined) return;
    const { path, language } = this.#running.task;
    this.#deps.log.warn({ path, language, failed, err: error }, 'a file could not be parsed');
    this.#running.resolve(failed);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}

function closedError(): Unavailable {
  return new Unavailable('shutting_down', 'The service is shutting down; retry in a moment.');
}

/** Returns the processor time that a thread has used, in milliseconds; 0 once it has ended. */
async function usedMs(thread: Worker): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

/** Returns the entry of the thread: a `.ts` file beside this one in source, an entry beside the chunk in the bundle. */
function threadEntry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('parse-thread.ts', import.meta.url)
    : new URL('./parse-thread.js', import.meta.url);
}
