import { constants, getPriority, setPriority } from 'node:os';

/** The nice value of the thread. Next to a thread of normal priority it gets a tenth of a processor, and still finishes. */
const nice = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lowers the priority of the current thread permanently: a priority cannot be raised again. Best effort: on Linux 0
 * names the calling thread; on other systems it would be the whole process, which keeps its priority. A process that
 * has a lower priority already (`Nice=` of a service) keeps it, because a raise needs privileges.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    if (getPriority(0) < nice) setPriority(0, nice);
  } catch {
    // A sandbox may refuse the call. The work is done nevertheless.
  }
}
