import { syncTasks } from '../sync/tasks.ts';

export const trackerTasks = syncTasks('tracker', { batch: 50 });
