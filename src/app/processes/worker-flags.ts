/**
 * V8 flags of the processes that index: the size of the young generation in megabytes, of which V8 uses three times as
 * much, and the growth of the heap in percent. With V8's defaults, the peak memory of indexing is a quarter higher and
 * the time is the same. The last flag keeps V8 from optimizing the lexers of the grammars, which takes 500 MB for one
 * of them; without it, parsing takes a sixth less time.
 */
export const workerFlags: readonly string[] = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=50',
  '--liftoff-only',
];

/** The commands whose process indexes. */
const indexingCommands: readonly (string | undefined)[] = ['worker', 'codesearch'];

/**
 * Replaces this process by the same program with the flags of a worker, unless it has them or runs another command. V8
 * reads the flags only at its start. The process id, the streams and the environment stay the same.
 */
export function ensureWorkerFlags(argv: readonly string[], execArgv: readonly string[]): void {
  const [node = '', program = '', command] = argv;
  if (!indexingCommands.includes(command) || workerFlags.every((flag) => execArgv.includes(flag))) return;
  process.execve?.(node, [node, ...execArgv, ...workerFlags, program, ...argv.slice(2)]);
}
