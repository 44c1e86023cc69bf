import { mayHang } from './progress.ts';
import type { Task } from './task.ts';

/** For so long what was late is remembered; a busy machine may have made it so. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 100;

/** The tasks of late that had their thread ended, and whose they were. */
export interface LateTasks {
  /** A thread was ended for it. */
  add(task: Task): void;
  /** A pattern that takes its steps, but came to its deadline: its organization is remembered, and not the pattern. */
  addSlow(organizationId: string): void;
  /**
   * Whether it keeps away from the usual threads: it was late itself, it is a pattern of an organization of which
   * something was late, or of one of which two tasks without patterns were. Who goes on asking for what was late goes
   * on being remembered; the task itself may be tried again meanwhile.
   */
  keepsAside(task: Task): boolean;
}

export function lateTasks(): LateTasks {
  const tasks = expiring();
  const organizations = expiring();
  const withoutPatterns = expiring();
  const all = expiring();
  const remember = (task: Task): void => {
    const { organizationId } = task;
    organizations.add(organizationId);
    if (!mayHang(task) && all.has(organizationId)) all.add(organizationId);
  };
  return {
    add: (task) => {
      const { organizationId } = task;
      tasks.add(keyOf(task));
      remember(task);
      if (mayHang(task)) return;
      if (withoutPatterns.has(organizationId)) all.add(organizationId);
      withoutPatterns.add(organizationId);
    },
    addSlow: (organizationId) => organizations.add(organizationId),
    keepsAside: (task) => {
      const { organizationId } = task;
      const isKnown = !tasks.isEmpty() && tasks.has(keyOf(task));
      if (isKnown) remember(task);
      return isKnown || all.has(organizationId) || (mayHang(task) && organizations.has(organizationId));
    },
  };
}

interface Expiring {
  add(key: string): void;
  has(key: string): boolean;
  isEmpty(): boolean;
}

/** Keys, each for some seconds after it was added last. */
function expiring(): Expiring {
  const until = new Map<string, number>();
  const forget = (): void => {
    for (const [key, end] of until) {
      if (end > performance.now() && until.size <= MOST_REMEMBERED) return;
      until.delete(key);
    }
  };
  return {
    add: (key) => {
      // What is added last comes last.
      until.delete(key);
      until.set(key, performance.now() + REMEMBERED_MS);
      forget();
    },
    has: (key) => (until.get(key) ?? 0) > performance.now(),
    isEmpty: () => until.size === 0,
  };
}

function keyOf({ kind, organizationId, request }: Task): string {
  return JSON.stringify([organizationId, kind, 'query' in request ? request.query : request]);
}
