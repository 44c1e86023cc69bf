import { parentPort } from 'node:worker_threads';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { sharedTables } from '../read/shared-tables.ts';
import { runTask, type ThreadContext } from './run-task.ts';
import type { FromThread, TaskAnswer, TaskMessage, ToThread } from './task.ts';
import { startTaskTime } from './task-time.ts';

/**
 * Handles the messages of a search thread. It runs one task at a time to completion. Reading is synchronous, so a
 * task sees one generation. A task that does not return is ended by terminating the thread.
 */
export function answerTasks(root: string): void {
  const tables = sharedTables();
  const context: ThreadContext = { indexes: new OpenIndexes(root, tables), arena: textArena() };
  parentPort?.on('message', (message: ToThread) => {
    if (!('task' in message)) {
      tables.take(message);
      return;
    }
    const reply = answer(context, message);
    const changes = tables.takeChanges();
    // Posted first, so that the other threads know about the tables before the next task arrives.
    if (changes !== undefined) post(changes);
    post(reply);
  });
}

function post(message: FromThread): void {
  // The transfer list is empty.
  parentPort?.postMessage(message, []);
}

function answer(context: ThreadContext, given: TaskMessage): TaskAnswer {
  const { id, task, engine } = given;
  try {
    return { id, result: runTask(context, task, startTaskTime(given), engine) };
  } catch (error) {
    if (error instanceof InvalidInput) {
      const { message, code, errors } = error;
      return { id, refusal: { message, code, errors } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { id, failure: message, stack };
  }
}
