import type { CommandContext } from './context.ts';
import type { Arguments, Flags, Values } from './parameters.ts';

/** The output of a command: `json` with `--json`, otherwise `text` (contract section 1). */
export interface CommandResult {
  /** The JSON value that `--json` prints. */
  readonly json: unknown;
  /** The output for people; the frame adds the final newline. An empty text prints nothing. */
  readonly text: string;
  /** Lines for stderr below the output, such as how to get the next page; not printed with `--json`. */
  readonly notes?: readonly string[];
  /** Default: 0. For commands whose result may be a failure (`doctor mcp`). */
  readonly exitCode?: number;
}

export interface CommandInput<A extends Arguments, F extends Flags> {
  readonly args: Values<A>;
  readonly flags: Values<F>;
}

interface CommandShape {
  /** A paragraph above the usage in the help of the command. */
  readonly description?: string;
  /** Complete command lines for the help. */
  readonly examples?: readonly string[];
  readonly subcommands?: CommandTable;
}

export interface CommandDefinition<A extends Arguments, F extends Flags> extends CommandShape {
  readonly args?: A;
  readonly flags?: F;
  /**
   * Runs the command and returns its output; `undefined` for a command that prints by itself (`serve`).
   * @throws if the command fails: `exit-code.ts` maps the error to an exit code, `describe-error.ts` formats it
   */
  run(input: CommandInput<A, F>, context: CommandContext): Promise<CommandResult | undefined>;
}

/** A command without the types of its parameters, as the frame uses it. */
export interface Command extends CommandShape {
  readonly args: Arguments;
  readonly flags: Flags;
  readonly run:
    | ((input: CommandInput<Arguments, Flags>, context: CommandContext) => Promise<CommandResult | undefined>)
    | undefined;
}

/** A command in a table: its line in the help, and a function that loads its module when it is needed. */
export interface CommandEntry {
  readonly summary: string;
  /** The heading above it in the help of its table. Commands of one group follow each other. */
  readonly group?: string;
  readonly load: () => Command | Promise<Command>;
}

/** Commands by name, in the order of the help. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;

export function defineCommand<const A extends Arguments, const F extends Flags>(
  definition: CommandDefinition<A, F>,
): Command {
  const { args, flags, ...rest } = definition;
  // The frame passes `run` exactly the values that these `args` and `flags` read, so the cast is safe.
  return { ...rest, args: args ?? {}, flags: flags ?? {}, run: definition.run as Command['run'] };
}

/** Defines a command that only groups subcommands (`repo`). */
export function defineGroup(subcommands: CommandTable, description?: string): Command {
  return { subcommands, args: {}, flags: {}, run: undefined, ...(description && { description }) };
}
