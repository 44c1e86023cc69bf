import { workerData } from 'node:worker_threads';
import { lowerPriority } from './thread/lower-priority.ts';
import type { ThreadData } from './thread/task.ts';

/** Entry of a search thread. */
const { root, hasLowPriority } = workerData as ThreadData;
if (hasLowPriority === true) lowerPriority();
// Only then: most of what it takes to start a thread is to load what it runs.
const { answerTasks } = await import('./thread/answer-tasks.ts');
answerTasks(root);
