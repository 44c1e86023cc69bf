import type { CommandContext } from './context.ts';
import type { Arguments, Flags, Values } from './parameters.ts';

/** What a command prints: one of the two, chosen by `--json` (contract section 1). */
export interface CommandResult {
  /** The one JSON value of `--json`. */
  readonly json: unknown;
  /** For people; the frame ends it with a newline. Empty prints nothing. */
  readonly text: string;
  /** Default 0. For a command whose result may itself be a failure (`doctor mcp`). */
  readonly exitCode?: number;
}

export interface CommandInput<A extends Arguments, F extends Flags> {
  readonly args: Values<A>;
  readonly flags: Values<F>;
}

interface CommandShape {
  /** A paragraph above the usage in the command's own help. */
  readonly description?: string;
  /** Whole command lines, shown in the help. */
  readonly examples?: readonly string[];
  readonly subcommands?: CommandTable;
}

export interface CommandDefinition<A extends Arguments, F extends Flags> extends CommandShape {
  readonly args?: A;
  readonly flags?: F;
  /**
   * Does the work and answers what to print; `undefined` for a command that has printed by itself (`serve`).
   * @throws for a failure: `exit-code.ts` turns the error into the exit code, `describe-error.ts` into words
   */
  run(input: CommandInput<A, F>, context: CommandContext): Promise<CommandResult | undefined>;
}

/** A command as the frame sees it, its parameters' types forgotten. */
export interface Command extends CommandShape {
  readonly args: Arguments;
  readonly flags: Flags;
  readonly run:
    | ((input: CommandInput<Arguments, Flags>, context: CommandContext) => Promise<CommandResult | undefined>)
    | undefined;
}

/** A command in a table: the line of the help, and how to get the rest only when it is asked for. */
export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Command | Promise<Command>;
}

/** Names to commands, in the order of the help. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;

export function defineCommand<const A extends Arguments, const F extends Flags>(
  definition: CommandDefinition<A, F>,
): Command {
  const { args, flags, ...rest } = definition;
  // The frame hands `run` exactly the values that these `args` and `flags` read, so their types may be forgotten here.
  return { ...rest, args: args ?? {}, flags: flags ?? {}, run: definition.run as Command['run'] };
}

/** A command that only leads to others (`repo`). */
export function defineGroup(subcommands: CommandTable, description?: string): Command {
  return { subcommands, args: {}, flags: {}, run: undefined, ...(description && { description }) };
}
