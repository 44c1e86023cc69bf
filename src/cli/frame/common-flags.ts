/** The flags of every command, before or after its name (contract section 1). */
export interface CommonFlags {
  readonly json: boolean;
  readonly noInput: boolean;
  readonly noColor: boolean;
  readonly verbose: boolean;
}

export const commonFlagHelp: readonly { readonly flag: string; readonly description: string }[] = [
  { flag: '--json', description: 'print the result as one JSON value only' },
  { flag: '--no-input', description: 'never prompt' },
  { flag: '--no-color', description: 'disable colour (like NO_COLOR)' },
  { flag: '--verbose', description: 'print details, such as the stack of an error' },
];

/** Returns whether a word is one of the common flags. */
export function isCommonFlag(word: string): boolean {
  return commonFlagHelp.some(({ flag }) => flag === word);
}

/** Reads the common flags without the parser, so that errors of an invalid command line have the requested format. */
export function readCommonFlags(words: readonly string[]): CommonFlags {
  const flags = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  return {
    json: flags.includes('--json'),
    noInput: flags.includes('--no-input'),
    noColor: flags.includes('--no-color'),
    verbose: flags.includes('--verbose'),
  };
}
