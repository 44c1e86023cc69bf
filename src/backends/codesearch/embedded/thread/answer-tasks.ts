import { parentPort } from 'node:worker_threads';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { type Desk, runTask } from './run-task.ts';
import { SHARED, type TaskAnswer, type TaskMessage } from './task.ts';

/**
 * What a search thread does. It runs one task at a time, to its end: reading is synchronous, so a task sees one
 * generation. A task that does not come back is ended from outside, with the thread.
 */
export function answerTasks(root: string): void {
  const desk: Desk = { indexes: new OpenIndexes(root), arena: textArena() };
  parentPort?.on('message', (message: TaskMessage) => {
    // Nothing is transferred.
    parentPort?.postMessage(answer(desk, message), []);
  });
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
