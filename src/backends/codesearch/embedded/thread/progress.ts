import { hasPattern } from '../../has-pattern.ts';
import { SHARED, type Task } from './task.ts';

/** So often the progress of a thread is looked at. Two looks at the same value mean that it hangs. */
const LOOK_MS = 100;
const LOOKS = 2;
/** A look that comes later than this says that the machine is busy, and nothing of the thread. */
const LATE_LOOK_MS = 50;
/** A pattern that hung is not tried like that again for so long; a busy machine may have made it look so. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 100;

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

/** The searches of late that hung. */
export interface HungPatterns {
  add(task: Task): void;
  /** Whether it hung. Who goes on asking for it goes on being remembered; the pattern may be tried again meanwhile. */
  has(task: Task): boolean;
  /** Whether one of them was of this organization. */
  isOf(organizationId: string): boolean;
}

export function hungPatterns(): HungPatterns {
  const until = new Map<string, number>();
  const organizations = new Map<string, number>();
  const rememberOrganization = (organizationId: string): void => {
    for (const [id, end] of organizations) if (end <= performance.now()) organizations.delete(id);
    organizations.set(organizationId, performance.now() + REMEMBERED_MS);
  };
  return {
    add: (task) => {
      const oldest = until.keys().next();
      if (until.size >= MOST_REMEMBERED && !oldest.done) until.delete(oldest.value);
      until.set(keyOf(task), performance.now() + REMEMBERED_MS);
      rememberOrganization(task.organizationId);
    },
    has: (task) => {
      const isKnown = until.size > 0 && (until.get(keyOf(task)) ?? 0) > performance.now();
      if (isKnown) rememberOrganization(task.organizationId);
      return isKnown;
    },
    isOf: (organizationId) => (organizations.get(organizationId) ?? 0) > performance.now(),
  };
}

function keyOf(task: Task): string {
  return task.kind === 'search' ? JSON.stringify([task.organizationId, task.request.query]) : '';
}
