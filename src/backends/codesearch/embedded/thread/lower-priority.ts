import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets every other thread of the machine go before this one, as long as it lives: a priority cannot be raised again.
 * Best effort: Linux alone has priorities of threads, and names the one that asks.
 */
export function lowerPriority(): void {
  try {
    const id = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]);
    setPriority(id, constants.priority.PRIORITY_LOW);
  } catch {
    // Everywhere else its turns are like those of others.
  }
}
