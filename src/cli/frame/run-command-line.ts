import type { Environment } from '../../foundation/config/read-environment.ts';
import { visibleJson } from '../../foundation/kernel/text/visible-text.ts';
import type { CommandResult, CommandTable } from './command.ts';
import { readCommonFlags } from './common-flags.ts';
import type { CommandContext } from './context.ts';
import { reportError } from './describe-error.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { OutputClosed } from './interrupted.ts';
import { type Request, readCommandLine } from './read-command-line.ts';
import { openTerminal, type Streams, type Terminal } from './terminal.ts';

/** The environment of one run: that of the process in `main.ts`, a substitute in tests. */
export interface CliEnvironment {
  readonly commands: CommandTable;
  readonly streams: Streams;
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly signal: AbortSignal;
}

/** Runs one command line (the words after the program name) and returns the exit code. Never throws. */
export async function runCommandLine(words: readonly string[], environment: CliEnvironment): Promise<number> {
  const { commands, streams, env, cwd, homeDir, signal } = environment;
  const terminal = openTerminal(streams, env, readCommonFlags(words));
  try {
    const request = await readCommandLine(words, commands);
    return await answer(request, { env, cwd, homeDir, terminal, signal });
  } catch (error) {
    // After an abort, the reason of the abort is the cause of any error.
    const cause: unknown = signal.aborted ? signal.reason : error;
    if (!(cause instanceof OutputClosed)) reportError(cause, terminal);
    return exitCodeOf(cause);
  }
}

async function answer(request: Request, context: CommandContext): Promise<number> {
  switch (request.kind) {
    case 'help':
      context.terminal.out.write(request.text);
      return exitCodes.ok;
    case 'run':
      return printResult(await request.command.run?.(request, context), context.terminal);
  }
}

function printResult(result: CommandResult | undefined, terminal: Terminal): number {
  if (result === undefined) return exitCodes.ok;
  const text = terminal.json ? visibleJson(result.json) : result.text;
  if (text !== '') terminal.out.write(text.endsWith('\n') ? text : `${text}\n`);
  // A program that reads JSON finds what the notes say in it, and nothing else on stderr.
  if (!terminal.json) for (const note of result.notes ?? []) terminal.note(note);
  return result.exitCode ?? exitCodes.ok;
}
