import { hasPattern } from '../../query-leaves.ts';
import { sharedFields, type Task } from './task.ts';

/**
 * Interval of the progress checks of a thread, in milliseconds. Two consecutive checks without progress mean that it
 * hangs.
 */
const checkMs = 100;
const maxStalledChecks = 2;
/**
 * Maximum delay of a check, in milliseconds. A later check means that the machine is busy, so it says nothing about
 * the thread.
 */
const maxCheckDelayMs = 50;

export interface ProgressWatch {
  stop(): void;
}

/** Calls `onHang` once if the thread made no progress for about 200 ms after its first step. */
export function watchProgress(shared: Int32Array, onHang: () => void): ProgressWatch {
  let lastProgress = 0;
  let stalledChecks = 0;
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const isDelayed = now - checkedAt > checkMs + maxCheckDelayMs;
    checkedAt = now;
    const progress = Atomics.load(shared, sharedFields.progress);
    const hasStepped = progress === 0 || progress !== lastProgress;
    if (hasStepped) stalledChecks = 0;
    else if (!isDelayed) stalledChecks += 1;
    lastProgress = progress;
    if (stalledChecks < maxStalledChecks) return;
    clearInterval(timer);
    onHang();
  }, checkMs);
  return { stop: () => clearInterval(timer) };
}

/**
 * Returns whether a task runs a pattern. A thread can hang in no other task: a search for literals progresses for any
 * text.
 */
export function isPattern(task: Task): boolean {
  return task.kind === 'search' && hasPattern(task.request.query);
}
