import { parentPort } from 'node:worker_threads';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { sharedTables } from '../read/shared-tables.ts';
import { type Desk, runTask } from './run-task.ts';
import { type FromThread, SHARED, type TaskAnswer, type TaskMessage, type ToThread } from './task.ts';

/**
 * What a search thread does. It runs one task at a time, to its end: reading is synchronous, so a task sees one
 * generation. A task that does not come back is ended from outside, with the thread.
 */
export function answerTasks(root: string): void {
  const tables = sharedTables();
  const desk: Desk = { indexes: new OpenIndexes(root, tables), arena: textArena() };
  parentPort?.on('message', (message: ToThread) => {
    if (!('task' in message)) {
      tables.take(message);
      return;
    }
    const answered = answer(desk, message);
    const news = tables.news();
    // First, so that whoever is asked next has heard of it.
    if (news !== undefined) say(news);
    say(answered);
  });
}

function say(what: FromThread): void {
  // Nothing is transferred.
  parentPort?.postMessage(what, []);
}

function answer(desk: Desk, { id, task, budgetMs, shared, engine }: TaskMessage): TaskAnswer {
  const deadline = performance.now() + budgetMs;
  const isOver = (): boolean => {
    Atomics.add(shared, SHARED.progress, 1);
    return Atomics.load(shared, SHARED.cancelled) !== 0 || performance.now() >= deadline;
  };
  try {
    return { id, result: runTask(desk, task, isOver, engine) };
  } catch (error) {
    if (error instanceof InvalidInput) {
      const { message, code, errors } = error;
      return { id, refusal: { message, code, errors } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { id, failure: message, stack };
  }
}
