import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ForksPoolWorker, type PoolOptions } from 'vitest/node';

/**
 * Memory above which a process of the test runner gets no further file, in bytes. A new one has half of it. Linux copies
 * the page tables of a process that starts another one, so a Git command from 800 MB takes ten times as long as from
 * a small process, and the tests start thousands.
 */
const maxMemory = 500e6;

/** The pool `forks` of vitest, except that a process that has become large is replaced before the next file. */
export const smallForks = {
  name: 'small-forks',
  createPoolWorker: (options: PoolOptions) => new SmallForksWorker(options),
};

class SmallForksWorker extends ForksPoolWorker {
  override readonly name = smallForks.name;

  canReuse(): boolean {
    return residentMemory(this['fork']) < maxMemory;
  }
}

/** Returns 0 where the system does not tell, so that the process is kept. */
function residentMemory({ pid }: ChildProcess): number {
  try {
    const [, kilobytes = '0'] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
