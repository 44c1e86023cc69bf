import { type Environment, readEnvironment } from '../../foundation/config/read-environment.ts';

/**
 * V8 flags of `serve`: the maximum size of a half of the young generation in megabytes, of which V8 uses three times as
 * much, and the growth of the heap in percent. With V8's defaults, 16 MB and up to 300 %, the garbage of requests stays
 * longer, and nothing responds sooner: after a burst of questions, 840 MB stay in use instead of 660 MB. With halves of
 * 4 MB, what a page of references of a frequent name makes is copied twice: it takes 63 ms of processor time at the 95th
 * percentile instead of 48 to 55, and as much memory stays in use. Several threads that collect a young generation of
 * this size take a tenth more processor time than one, and no less time.
 */
export const serveFlags: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=150',
  '--no-parallel-scavenge',
];

/**
 * V8 flags of the processes that index. With the growth of V8's defaults, the peak memory of indexing is a quarter
 * higher and the time is the same.
 */
export const workerFlags: readonly string[] = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=50',
  '--no-parallel-scavenge',
];

const flagsOf: Readonly<Record<string, readonly string[]>> = {
  serve: serveFlags,
  worker: workerFlags,
  codesearch: workerFlags,
};

/** Returns the flags of Node for a child process: those of this process, and `added` without those that it has. */
export function childFlags(added: readonly string[]): string[] {
  return [...process.execArgv, ...added.filter((flag) => !process.execArgv.includes(flag))];
}

/**
 * Returns the environment of a process that serves or indexes. It limits the heaps of glibc's `malloc`, which keeps up
 * to eight for each processor otherwise: 100 MB after a burst of questions, since no thread uses what another one
 * freed.
 */
export function processEnvironment(): Environment {
  return { MALLOC_ARENA_MAX: '2', ...readEnvironment() };
}

/**
 * Replaces this process by the same program with the V8 flags of its command, unless it has them. V8 reads them only at
 * its start. The process id and the streams stay the same, and the environment gets the limit of `malloc`. A process
 * with a channel to its parent keeps its flags, because the channel would be lost; the parents in this program pass the
 * flags.
 */
export function ensureProcessFlags(argv: readonly string[]): void {
  const [node = '', program = '', command = ''] = argv;
  const flags = Object.hasOwn(flagsOf, command) ? (flagsOf[command] ?? []) : [];
  const missing = flags.some((flag) => !process.execArgv.includes(flag));
  if (!missing || process.channel !== undefined) return;
  process.execve?.(node, [node, ...childFlags(flags), program, ...argv.slice(2)], processEnvironment());
}
