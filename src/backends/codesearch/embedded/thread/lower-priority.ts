import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * The nice value of the thread. Next to a thread of normal priority it gets a tenth of a processor, and still
 * finishes.
 */
const nice = 10;

/**
 * Lowers the priority of the current thread permanently: a priority cannot be raised again. Best effort: only Linux
 * has priorities per thread, and /proc/thread-self that names the current one.
 */
export function lowerPriority(): void {
  try {
    // The link reads `PID/task/ID`.
    const id = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(id, nice);
  } catch {
    // On other systems the thread keeps its priority.
  }
}
