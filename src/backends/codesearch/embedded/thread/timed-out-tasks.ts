import { isPattern } from './progress.ts';
import type { Task } from './task.ts';

/**
 * Duration of the quarantine of a timed-out task, in milliseconds. Short, because a busy machine also causes
 * time-outs.
 */
const quarantineMs = 10_000;
const maxQuarantined = 100;

/** The organizations of recently timed-out patterns, for which a thread was terminated. */
export interface TimedOutTasks {
  /** Adds a pattern for which a thread was terminated. */
  add(task: Task): void;
  /**
   * Adds the organization of a pattern that made progress but reached its deadline. The pattern itself is not added.
   */
  addSlow(organizationId: string): void;
  /**
   * Returns whether a task is quarantined: it is a pattern of an organization with a timed-out pattern. Repeating a
   * timed-out pattern extends the quarantine of the organization.
   */
  isQuarantined(task: Task): boolean;
}

export function timedOutTasks(): TimedOutTasks {
  const tasks = expiring();
  const organizations = expiring();
  return {
    add: (task) => {
      tasks.add(keyOf(task));
      organizations.add(task.organizationId);
    },
    addSlow: (organizationId) => organizations.add(organizationId),
    isQuarantined: (task) => {
      if (!isPattern(task)) return false;
      const { organizationId } = task;
      const isKnown = !tasks.isEmpty() && tasks.has(keyOf(task));
      if (isKnown) organizations.add(organizationId);
      return isKnown || organizations.has(organizationId);
    },
  };
}

interface Expiring {
  add(key: string): void;
  has(key: string): boolean;
  isEmpty(): boolean;
}

/** Creates a set whose keys expire after a time since they were last added. */
function expiring(): Expiring {
  const until = new Map<string, number>();
  const forget = (): void => {
    for (const [key, end] of until) {
      if (end > performance.now() && until.size <= maxQuarantined) return;
      until.delete(key);
    }
  };
  return {
    add: (key) => {
      // Moves the key to the end, so that keys are ordered by expiry.
      until.delete(key);
      until.set(key, performance.now() + quarantineMs);
      forget();
    },
    has: (key) => (until.get(key) ?? 0) > performance.now(),
    isEmpty: () => until.size === 0,
  };
}

function keyOf({ kind, organizationId, request }: Task): string {
  return JSON.stringify([organizationId, kind, 'query' in request ? request.query : request]);
}
