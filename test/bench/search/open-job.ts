import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../src/backends/codesearch/embedded/thread/start-thread.ts';
import { tableExchange } from '../../../src/backends/codesearch/embedded/thread/table-exchange.ts';
import type { Task, TaskAnswer, TaskMessage } from '../../../src/backends/codesearch/embedded/thread/task.ts';
import type { Query } from '../../../src/backends/codesearch/port.ts';
import { benchScope, queryOf } from './embedded.ts';
import { questions } from './questions.ts';

/** Memory of this process with the indexes open, in bytes. */
export interface OpenJobReport {
  readonly threads: number;
  /** After every thread has opened every segment with its tables of trigrams, terms and symbols. */
  readonly opened: number;
  /** After every thread has answered every question. */
  readonly answered: number;
}

const { organizationId } = benchScope;
const deadlineMs = 60_000;
/** The product's search threads and its spare thread. */
const threadCount = Math.min(availableParallelism(), 4) + 1;
const nothing: Query = { kind: 'literal', text: 'zzqxjkvbq', caseSensitive: true, field: 'content' };
const noSymbol: Query = { kind: 'symbol', form: 'literal', text: 'zzqxjkvbq', caseSensitive: true };
const rank: Task = {
  kind: 'rank',
  organizationId,
  request: {
    terms: ['zzqxjkvbq', 'retry'],
    identifiers: ['NewContext'],
    paths: [],
    question: '',
    limit: 10,
    waitMs: 30_000,
  },
};

/** A search thread and the callback of its pending request. */
interface SearchThread {
  readonly worker: Worker;
  answered: (answer: TaskAnswer) => void;
}

/**
 * Opens the indexes under a folder in as many search threads as the product starts. Starts and connects them as the
 * product does, so that they share tables in the same way. Sends every question to every thread, one after the other.
 * The product's pool sends a question to an idle thread and keeps one spare, so that over days each thread opens
 * everything; this job measures that state.
 */
async function main(root: string): Promise<void> {
  const tables = tableExchange<Worker>();
  const threads = Array.from({ length: threadCount }, () => start(root, tables));
  for (const task of [searchFor(nothing), searchFor(noSymbol), rank]) await inEveryThread(threads, task);
  const opened = await settledMemory();
  for (const question of questions) await inEveryThread(threads, searchFor(queryOf(question)));
  const answered = await settledMemory();
  await Promise.all(threads.map(({ worker }) => worker.terminate()));
  const report: OpenJobReport = { threads: threadCount, opened, answered };
  console.log(JSON.stringify(report));
}

function start(root: string, tables: ReturnType<typeof tableExchange<Worker>>): SearchThread {
  const worker = startThread({ root }, tables, (answer) => thread.answered(answer));
  const thread: SearchThread = { worker, answered: () => undefined };
  return thread;
}

function searchFor(query: Query): Task {
  const page = { limit: 50, matchesPerFile: 5, contextLines: 0, deadlineMs };
  return { kind: 'search', organizationId, request: { query, ...page } };
}

/** @throws when a thread gave no complete answer */
async function inEveryThread(threads: readonly SearchThread[], task: Task): Promise<void> {
  for (const thread of threads) {
    const answer = await ask(thread, task);
    const ended = 'result' in answer && 'incomplete' in answer.result ? answer.result.incomplete : undefined;
    if (!('result' in answer) || (ended !== undefined && ended !== 'limit')) {
      throw new Error(`${JSON.stringify(task.request)}: ${JSON.stringify(answer).slice(0, 500)}`);
    }
  }
}

async function ask(thread: SearchThread, task: Task): Promise<TaskAnswer> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const message: TaskMessage = { id: 1, task, deadlineMs, shared, engine: 'fast' };
  const { promise, resolve } = Promise.withResolvers<TaskAnswer>();
  thread.answered = resolve;
  thread.worker.postMessage(message, []);
  return promise;
}

/** Returns the resident memory after a delay, because threads start and release memory asynchronously. */
async function settledMemory(): Promise<number> {
  await delay(500);
  return process.memoryUsage.rss();
}

await main(process.argv[2] ?? '');
