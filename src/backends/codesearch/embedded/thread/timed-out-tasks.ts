import { isPattern } from './progress.ts';
import type { Task } from './task.ts';

/**
 * Duration of the quarantine of a timed-out task, in milliseconds. Short, because a busy machine also causes
 * time-outs.
 */
const quarantineMs = 10_000;
const maxQuarantined = 100;
/**
 * Number of quarantined callers of one organization that put all of it in quarantine. Each may terminate a thread
 * before its quarantine, so this bounds what the members of an organization can do together.
 */
const callersOfOrganization = 4;

/** Recently timed-out patterns, for which a thread was terminated, and their callers. */
export interface TimedOutTasks {
  /** Adds a pattern for which a thread was terminated, and its caller. */
  add(task: Task): void;
  /** Adds the caller of a pattern that made progress but reached its deadline. The pattern itself is not added. */
  addSlow(task: Task): void;
  /**
   * Returns whether a task is quarantined: it is a timed-out pattern of its organization, or a pattern of a quarantined
   * caller. Repeating a timed-out pattern extends the quarantine of such a caller.
   */
  isQuarantined(task: Task): boolean;
}

export function timedOutTasks(): TimedOutTasks {
  const patterns = expiring();
  const callers = expiring();
  const organizations = expiring();
  const addCaller = (task: Task): void => {
    callers.add(callerOf(task));
    const ofOrganization = callers.keys().filter((key) => key.startsWith(organizationPart(task)));
    if (ofOrganization.length >= callersOfOrganization) organizations.add(task.organizationId);
  };
  return {
    add: (task) => {
      patterns.add(patternOf(task));
      addCaller(task);
    },
    addSlow: addCaller,
    isQuarantined: (task) => {
      if (!isPattern(task)) return false;
      const isCaller = callers.has(callerOf(task)) || organizations.has(task.organizationId);
      const isKnown = !patterns.isEmpty() && patterns.has(patternOf(task));
      if (isCaller && isKnown) addCaller(task);
      return isCaller || isKnown;
    },
  };
}

interface Expiring {
  add(key: string): void;
  has(key: string): boolean;
  isEmpty(): boolean;
  keys(): readonly string[];
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
    keys: () => {
      forget();
      return [...until.keys()];
    },
  };
}

function callerOf(task: Task): string {
  return organizationPart(task) + (task.callerId ?? '');
}

function organizationPart({ organizationId }: Task): string {
  return `${organizationId} `;
}

function patternOf({ kind, organizationId, request }: Task): string {
  return JSON.stringify([organizationId, kind, 'query' in request ? request.query : request]);
}
