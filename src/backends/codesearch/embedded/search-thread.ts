import { workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../foundation/kernel/lower-priority.ts';
import type { ThreadData } from './thread/task.ts';

/** Entry point of a search thread. */
const { root, hasLowPriority } = workerData as ThreadData;
if (hasLowPriority === true) lowerPriority();
// Imported after the priority is lowered, because loading the code is most of the work of starting a thread.
const { answerTasks } = await import('./thread/answer-tasks.ts');
answerTasks(root);
