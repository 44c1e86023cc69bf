/** Returns the flag of the command line for a name: `dataDir` -> `--data-dir`. */
export function flagName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
