import { flagName } from '../../foundation/kernel/text/flag-name.ts';
import type { CommandTable } from '../frame/command.ts';
import { commonFlagHelp } from '../frame/common-flags.ts';
import type { Parameter } from '../frame/parameters.ts';

/** A command with everything that a shell can complete after it. */
export interface CompletedCommand {
  /** Its words after the program name; none for the program itself. */
  readonly path: readonly string[];
  readonly subcommands: readonly CompletedWord[];
  readonly flags: readonly CompletedFlag[];
  /** Values of its arguments, if they are limited. */
  readonly values: readonly string[];
}

export interface CompletedWord {
  readonly word: string;
  readonly summary: string;
}

export interface CompletedFlag extends CompletedWord {
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

const commonFlags: readonly CompletedFlag[] = [
  ...commonFlagHelp.map(({ flag, description }) => ({ word: flag, summary: description })),
  { word: '--help', summary: 'print help' },
].map((flag) => ({ ...flag, takesValue: false, values: [] }));

/** Lists the program and all commands, each with its subcommands, flags and values. Loads every command. */
export async function listCommands(table: CommandTable): Promise<readonly CompletedCommand[]> {
  const version = { word: '--version', summary: 'print the version', takesValue: false, values: [] };
  const root = { path: [], subcommands: wordsOf(table), flags: [...commonFlags, version], values: [] };
  return [root, ...(await listBelow([], table))];
}

async function listBelow(path: readonly string[], table: CommandTable): Promise<readonly CompletedCommand[]> {
  const commands = await Promise.all(
    Object.entries(table).map(async ([word, entry]): Promise<readonly CompletedCommand[]> => {
      const { subcommands = {}, flags, args } = await entry.load();
      const here = [...path, word];
      const own = Object.entries(flags).map(([name, flag]) => toFlag(name, flag));
      const values = Object.values(args).flatMap(({ choices = [] }) => choices);
      const command = {
        path: here,
        subcommands: wordsOf(subcommands),
        flags: [...own, ...commonFlags],
        values,
      };
      return [command, ...(await listBelow(here, subcommands))];
    }),
  );
  return commands.flat();
}

function wordsOf(table: CommandTable): readonly CompletedWord[] {
  return Object.entries(table).map(([word, { summary }]) => ({ word, summary }));
}

function toFlag(name: string, { description, shape, choices = [] }: Parameter<unknown>): CompletedFlag {
  return { word: flagName(name), summary: description, takesValue: shape !== 'switch', values: choices };
}
