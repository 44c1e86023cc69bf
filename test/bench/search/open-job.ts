import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../src/backends/codesearch/embedded/thread/start-thread.ts';
import { tableExchange } from '../../../src/backends/codesearch/embedded/thread/table-exchange.ts';
import type { Task, TaskAnswer, TaskMessage } from '../../../src/backends/codesearch/embedded/thread/task.ts';
import type { Query } from '../../../src/backends/codesearch/port.ts';
import { benchScope, queryOf } from './embedded.ts';
import { questions } from './questions.ts';

/** What it takes to hold the indexes open: bytes of this process. */
export interface OpenJobReport {
  readonly threads: number;
  /** Every thread has opened every segment, with its tables of trigrams, terms and symbols. */
  readonly opened: number;
  /** Every thread has answered every question by itself. */
  readonly answered: number;
}

const { organizationId } = benchScope;
const budgetMs = 60_000;
/** The product's threads and its spare. */
const THREADS = Math.min(availableParallelism(), 4) + 1;
const nothing: Query = { kind: 'literal', text: 'zzqxjkvbq', caseSensitive: true, field: 'content' };
const noSymbol: Query = { kind: 'symbol', form: 'literal', text: 'zzqxjkvbq', caseSensitive: true };
const rank: Task = {
  kind: 'rank',
  organizationId,
  request: { terms: ['zzqxjkvbq', 'retry'], identifiers: ['NewContext'], paths: [], limit: 10 },
};

/** A search thread, and who waits for its answer. */
interface Asked {
  readonly worker: Worker;
  answered: (answer: TaskAnswer) => void;
}

/**
 * A process that opens the indexes under a folder in as many search threads as the product starts, started and connected
 * as the product does it: tables lie where they lie there. Every thread is asked every question, one after the other,
 * where the product's pool gives it to whichever is idle and keeps one spare: over days each comes to open everything,
 * and that is what is measured.
 */
async function main(root: string): Promise<void> {
  const tables = tableExchange<Worker>();
  const threads = Array.from({ length: THREADS }, () => start(root, tables));
  for (const task of [searchFor(nothing), searchFor(noSymbol), rank]) await inEveryThread(threads, task);
  const opened = await settled();
  for (const question of questions) await inEveryThread(threads, searchFor(queryOf(question)));
  const answered = await settled();
  await Promise.all(threads.map(({ worker }) => worker.terminate()));
  const report: OpenJobReport = { threads: THREADS, opened, answered };
  console.log(JSON.stringify(report));
}

function start(root: string, tables: ReturnType<typeof tableExchange<Worker>>): Asked {
  const worker = startThread({ root }, tables, (answer) => thread.answered(answer));
  const thread: Asked = { worker, answered: () => undefined };
  return thread;
}

function searchFor(query: Query): Task {
  const page = { limit: 50, matchesPerFile: 5, contextLines: 0, deadlineMs: budgetMs };
  return { kind: 'search', organizationId, request: { query, ...page } };
}

/** @throws when one of them gave no whole answer */
async function inEveryThread(threads: readonly Asked[], task: Task): Promise<void> {
  for (const thread of threads) {
    const answer = await ask(thread, task);
    const ended = 'result' in answer && 'incomplete' in answer.result ? answer.result.incomplete : undefined;
    if (!('result' in answer) || (ended !== undefined && ended !== 'limit')) {
      throw new Error(`${JSON.stringify(task.request)}: ${JSON.stringify(answer).slice(0, 500)}`);
    }
  }
}

async function ask(thread: Asked, task: Task): Promise<TaskAnswer> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const message: TaskMessage = { id: 1, task, budgetMs, shared, engine: 'fast' };
  const { promise, resolve } = Promise.withResolvers<TaskAnswer>();
  thread.answered = resolve;
  thread.worker.postMessage(message, []);
  return promise;
}

/** Threads start, and give memory back, in their own time. */
async function settled(): Promise<number> {
  await delay(500);
  return process.memoryUsage.rss();
}

await main(process.argv[2] ?? '');
