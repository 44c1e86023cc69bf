import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Beside one of the usual priority a thread of this one has a tenth of a processor, and still comes to its end. */
const NICE = 10;

/**
 * Lets other threads of the machine go before this one, as long as it lives: a priority cannot be raised again.
 * Best effort: Linux alone has priorities of threads, and names the one that asks.
 */
export function lowerPriority(): void {
  try {
    const id = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]);
    setPriority(id, NICE);
  } catch {
    // Everywhere else its turns are like those of others.
  }
}
