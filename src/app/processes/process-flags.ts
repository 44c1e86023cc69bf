/**
 * V8 flags of `serve`: the maximum size of a half of the young generation in megabytes, of which V8 uses three times as
 * much. V8's default of 16 MB keeps garbage of requests longer and responds no sooner.
 */
export const serveFlags: readonly string[] = ['--max-semi-space-size=4'];

/**
 * V8 flags of the processes that index: those of `serve`, and the growth of the heap in percent. With V8's defaults, the
 * peak memory of indexing is a quarter higher and the time is the same. The last flag keeps V8 from optimizing the
 * lexers of the grammars, which takes 500 MB for one of them; without it, parsing takes a sixth less time.
 */
export const workerFlags: readonly string[] = [...serveFlags, '--heap-growing-percent=50', '--liftoff-only'];

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
 * Replaces this process by the same program with the V8 flags of its command, unless it has them. V8 reads them only at
 * its start. The process id, the streams and the environment stay the same. A process with a channel to its parent keeps
 * its flags, because the channel would be lost; the parents in this program pass the flags.
 */
export function ensureProcessFlags(argv: readonly string[]): void {
  const [node = '', program = '', command = ''] = argv;
  const flags = Object.hasOwn(flagsOf, command) ? (flagsOf[command] ?? []) : [];
  const missing = flags.some((flag) => !process.execArgv.includes(flag));
  if (!missing || process.channel !== undefined) return;
  process.execve?.(node, [node, ...childFlags(flags), program, ...argv.slice(2)]);
}
