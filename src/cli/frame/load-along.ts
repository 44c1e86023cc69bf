import type { Command, CommandTable } from './command.ts';

export interface LoadedEntry {
  readonly summary: string;
  /** `undefined` for a command that the words do not name: its line in the help is all that is needed. */
  readonly command: Command | undefined;
  readonly subcommands: LoadedTable;
}

export type LoadedTable = Readonly<Record<string, LoadedEntry>>;

/**
 * Loads the modules of the commands that `words` name, and no others: `version` must not wait for the database.
 * A word that is only the value of a flag may load one module too many; the parser decides what is run.
 */
export async function loadAlong(words: readonly string[], table: CommandTable): Promise<LoadedTable> {
  const index = words.findIndex((word) => Object.hasOwn(table, word));
  const named = words[index];
  const entries = await Promise.all(
    Object.entries(table).map(async ([name, entry]): Promise<[string, LoadedEntry]> => {
      if (name !== named) return [name, { summary: entry.summary, command: undefined, subcommands: {} }];
      const command = await entry.load();
      const subcommands = await loadAlong(words.slice(index + 1), command.subcommands ?? {});
      return [name, { summary: entry.summary, command, subcommands }];
    }),
  );
  return Object.fromEntries(entries);
}
