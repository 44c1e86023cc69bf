import type { ShouldStop } from '../query/find-hits.ts';
import { sharedFields, type TaskMessage } from './task.ts';

/**
 * Interval of the readings of the processor time, in milliseconds. In less time on the clock, no more processor time
 * can pass.
 */
const readingMs = 5;

/** Starts the clocks of a task: the time on the clock, and the processor time of the current thread. */
export function startTaskTime({
  deadlineMs,
  processorMs = Number.POSITIVE_INFINITY,
  shared,
}: Pick<TaskMessage, 'deadlineMs' | 'processorMs' | 'shared'>): ShouldStop {
  const started = performance.now();
  const processor = process.threadCpuUsage();
  let readAt = started;
  let usedMs = 0;
  return (share = 1) => {
    Atomics.add(shared, sharedFields.progress, 1);
    if (Atomics.load(shared, sharedFields.cancelled) !== 0) return true;
    const now = performance.now();
    if (now - readAt >= readingMs) {
      const { user, system } = process.threadCpuUsage(processor);
      usedMs = (user + system) / 1000;
      readAt = now;
    }
    return now - started >= share * deadlineMs || usedMs >= share * processorMs;
  };
}
