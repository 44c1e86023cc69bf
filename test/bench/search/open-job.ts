import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type {
  Task,
  TaskAnswer,
  TaskMessage,
  ThreadData,
} from '../../../src/backends/codesearch/embedded/thread/task.ts';
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

/**
 * A process that opens the indexes under a folder in as many search threads as the product starts. Threads are asked
 * one by one and not by the product's pool, which deals a question among them and keeps one spare: over days every
 * thread comes to hold everything, and that is what is measured.
 */
async function main(root: string): Promise<void> {
  const threads = Array.from({ length: THREADS }, () => startThread(root));
  for (const task of [searchFor(nothing), searchFor(noSymbol), rank]) await inEveryThread(threads, task);
  const opened = await settled();
  for (const question of questions) await inEveryThread(threads, searchFor(queryOf(question)));
  const answered = await settled();
  await Promise.all(threads.map((thread) => thread.terminate()));
  const report: OpenJobReport = { threads: THREADS, opened, answered };
  console.log(JSON.stringify(report));
}

function startThread(root: string): Worker {
  const workerData: ThreadData = { root };
  const entry = new URL('../../../src/backends/codesearch/embedded/search-thread.ts', import.meta.url);
  return new Worker(entry, { workerData });
}

function searchFor(query: Query): Task {
  const page = { limit: 50, matchesPerFile: 5, contextLines: 0, deadlineMs: budgetMs };
  return { kind: 'search', organizationId, request: { query, ...page } };
}

/** @throws when one of them gave no whole answer */
async function inEveryThread(threads: readonly Worker[], task: Task): Promise<void> {
  const answers = await Promise.all(threads.map((thread) => ask(thread, task)));
  for (const answer of answers) {
    const ended = 'result' in answer && 'incomplete' in answer.result ? answer.result.incomplete : undefined;
    if (!('result' in answer) || (ended !== undefined && ended !== 'limit')) {
      throw new Error(`${JSON.stringify(task.request)}: ${JSON.stringify(answer).slice(0, 500)}`);
    }
  }
}

async function ask(thread: Worker, task: Task): Promise<TaskAnswer> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const message: TaskMessage = { id: 1, task, budgetMs, shared, engine: 'fast' };
  const answered = once(thread, 'message');
  thread.postMessage(message, []);
  const [answer] = (await answered) as [TaskAnswer];
  return answer;
}

/** Threads start, and give memory back, in their own time. */
async function settled(): Promise<number> {
  await delay(500);
  return process.memoryUsage.rss();
}

await main(process.argv[2] ?? '');
