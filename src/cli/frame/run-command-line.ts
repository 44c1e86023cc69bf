import type { Environment } from '../../foundation/config/read-environment.ts';
import type { CommandResult, CommandTable } from './command.ts';
import { readCommonFlags } from './common-flags.ts';
import type { CommandContext } from './context.ts';
import { reportError } from './describe-error.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { OutputClosed } from './interrupted.ts';
import { type Request, readCommandLine } from './read-command-line.ts';
import { openTerminal, type Streams, type Terminal } from './terminal.ts';

/** The world of one run: real in `main.ts`, made up in tests. */
export interface Surroundings {
  readonly commands: CommandTable;
  readonly streams: Streams;
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly signal: AbortSignal;
}

/** Runs one command line (the words after the program's name) and answers the exit code. Never throws. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { commands, streams, env, cwd, homeDir, signal } = surroundings;
  const terminal = openTerminal(streams, env, readCommonFlags(words));
  try {
    const request = await readCommandLine(words[0] === '--version' ? ['version'] : words, commands);
    return await answer(request, { env, cwd, homeDir, terminal, signal });
  } catch (error) {
    // Whatever an aborted operation throws, the reason of the abort is what happened.
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
  const text = terminal.json ? JSON.stringify(result.json) : result.text;
  if (text !== '') terminal.out.write(text.endsWith('\n') ? text : `${text}\n`);
  return result.exitCode ?? exitCodes.ok;
}
