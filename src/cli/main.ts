import { homedir } from 'node:os';
import { ensureProcessFlags } from '../app/processes/process-flags.ts';
import { readEnvironment } from '../foundation/config/read-environment.ts';
import { cacheCompiledCode } from './frame/cache-compiled-code.ts';

/**
 * Runs the command line. To add a command, create a file named like the command (`repo-add.ts`) that exports
 * `defineCommand({ args, flags, run })` (or `defineGroup` for a command that only groups subcommands), and add it to
 * the table in `commands.ts` or in its group. The frame does the rest:
 *
 * - `args` and `flags` are declared with `frame/parameters.ts` and passed to `run` parsed and typed; `host-flags.ts`
 *   and `remote-target.ts` contain the ones that commands share.
 * - `run` returns `{ json, text, exitCode? }` and never prints a result itself; `context.terminal` has `note()` and
 *   `progress()` for stderr. A command that streams (`serve`) returns `undefined`.
 * - Failures are thrown: `UsageError` for an invalid command line, `NotConfigured`/`ConfigError` for settings and
 *   schema, the kernel's errors otherwise. Only `frame/exit-code.ts` maps errors to exit codes.
 * - `context.signal` is aborted by Ctrl-C and SIGTERM. A command that then finishes gracefully (`serve` draining)
 *   returns and exits 0; one that throws exits 130.
 * - The module of a command is loaded only when the command runs, so a command file may import what it needs at the
 *   top.
 *
 * `argv` is the whole of `process.argv`. Sets `process.exitCode`; the process ends when no work is pending.
 */
export async function main(argv: readonly string[]): Promise<void> {
  ensureProcessFlags(argv);
  const [env, homeDir] = [readEnvironment(), homedir()];
  cacheCompiledCode({ env, homeDir });
  // Loaded late, so that a process that is replaced has loaded nothing, and that the code is cached.
  const { runCommandLine } = await import('./frame/run-command-line.ts');
  const { commands } = await import('./commands.ts');
  const { watchSignals } = await import('./frame/watch-signals.ts');
  process.exitCode = await runCommandLine(argv.slice(2), {
    commands,
    streams: process,
    env,
    cwd: process.cwd(),
    homeDir,
    signal: watchSignals(process),
  });
}
