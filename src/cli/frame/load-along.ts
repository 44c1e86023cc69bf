import type { Command, CommandEntry, CommandTable } from './command.ts';

export interface LoadedEntry extends Pick<CommandEntry, 'summary' | 'group'> {
  /** `undefined` for a command that is not on the command line: only its summary is needed. */
  readonly command: Command | undefined;
  readonly subcommands: LoadedTable;
}

export type LoadedTable = Readonly<Record<string, LoadedEntry>>;

/**
 * Loads only the modules of the commands that `words` name, so that `version` does not load the database. A word that
 * is the value of a flag may load one extra module; the parser decides which command runs.
 */
export async function loadAlong(words: readonly string[], table: CommandTable): Promise<LoadedTable> {
  const index = words.findIndex((word) => Object.hasOwn(table, word));
  const named = words[index];
  const entries = await Promise.all(
    Object.entries(table).map(async ([name, entry]): Promise<[string, LoadedEntry]> => {
      const { load, ...shown } = entry;
      if (name !== named) return [name, { ...shown, command: undefined, subcommands: {} }];
      const command = await load();
      const subcommands = await loadAlong(words.slice(index + 1), command.subcommands ?? {});
      return [name, { ...shown, command, subcommands }];
    }),
  );
  return Object.fromEntries(entries);
}
