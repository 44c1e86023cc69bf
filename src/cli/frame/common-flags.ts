/** The flags that every command takes, before or after its name (contract section 1). */
export interface CommonFlags {
  readonly json: boolean;
  readonly noInput: boolean;
  readonly noColor: boolean;
  readonly verbose: boolean;
}

export const commonFlagHelp: readonly { readonly flag: string; readonly description: string }[] = [
  { flag: '--json', description: 'print the result as one JSON value and nothing else' },
  { flag: '--no-input', description: 'never prompt' },
  { flag: '--no-color', description: 'no colour (NO_COLOR does the same)' },
  { flag: '--verbose', description: 'say more, with the stack of an error' },
];

/** Reads them straight from the words, so that a faulty command line is reported in the form it asked for. */
export function readCommonFlags(words: readonly string[]): CommonFlags {
  const flags = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  return {
    json: flags.includes('--json'),
    noInput: flags.includes('--no-input'),
    noColor: flags.includes('--no-color'),
    verbose: flags.includes('--verbose'),
  };
}
