import { hasPattern } from '../../has-pattern.ts';
import { SHARED, type Task } from './task.ts';

/** So often the progress of a thread is looked at. Two looks at the same value mean that it hangs. */
const LOOK_MS = 100;
const LOOKS = 2;
/** A look that comes later than this says that the machine is busy, and nothing of the thread. */
const LATE_LOOK_MS = 50;

export interface ProgressWatch {
  stop(): void;
}

/** Calls `hangs` once when the thread took no step for about 200 ms, counted from the first one. */
export function watchProgress(shared: Int32Array, hangs: () => void): ProgressWatch {
  let seen = 0;
  let looks = 0;
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const isLate = now - lookedAt > LOOK_MS + LATE_LOOK_MS;
    lookedAt = now;
    const progress = Atomics.load(shared, SHARED.progress);
    const hasStepped = progress === 0 || progress !== seen;
    if (hasStepped) looks = 0;
    else if (!isLate) looks += 1;
    seen = progress;
    if (looks < LOOKS) return;
    clearInterval(timer);
    hangs();
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

/** Only patterns do: a search for literals takes a step whatever the text. */
export function mayHang(task: Task): boolean {
  return task.kind === 'search' && hasPattern(task.request.query);
}
