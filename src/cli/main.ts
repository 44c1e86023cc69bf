import { homedir } from 'node:os';
import { readEnvironment } from '../foundation/config/read-environment.ts';
import { commands } from './commands.ts';
import { runCommandLine } from './frame/run-command-line.ts';
import { watchSignals } from './frame/watch-signals.ts';

/**
 * The command line. A new command is a file beside this one, named like the command (`repo-add.ts`), that exports
 * `defineCommand({ args, flags, run })` (or `defineGroup` for a word that only leads to others), and a line in the
 * table of `commands.ts` or of its group. The frame does the rest:
 *
 * - `args` and `flags` are declared with `frame/parameters.ts` and arrive in `run` read and typed; `host-flags.ts`
 *   and `remote-target.ts` hold the ones that commands share.
 * - `run` answers `{ json, text, exitCode? }` and never prints a result itself; `context.terminal` has `note()` and
 *   `progress()` for stderr. A command that streams (`serve`) answers `undefined`.
 * - A failure is thrown: `UsageError` for a wrong command line, `NotConfigured`/`ConfigError` for settings and schema,
 *   the kernel's errors otherwise. `frame/exit-code.ts` alone knows exit codes.
 * - `context.signal` is aborted by Ctrl-C and SIGTERM. A command that then finishes in order (`serve` draining)
 *   returns and exits 0; one that throws exits 130.
 * - Modules load when their command is named, so a command file may import what it needs at the top.
 *
 * `argv` is the whole of `process.argv`. Sets `process.exitCode`; the process ends when nothing is left to do.
 */
export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await runCommandLine(argv.slice(2), {
    commands,
    streams: process,
    env: readEnvironment(),
    cwd: process.cwd(),
    homeDir: homedir(),
    signal: watchSignals(process),
  });
}
