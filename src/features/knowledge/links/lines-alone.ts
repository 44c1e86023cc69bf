/** The end of the evidence of an edge whose other lines may mean a variable. */
const alone = ' alone';

/** Prints the lines of a definition that mean the end of an edge, where others may mean a variable of the same name. */
export function printLinesAlone(lines: readonly number[]): string {
  return `line ${lines.join(', ')}${alone}`;
}

/** Reads the lines of an edge from its evidence. */
export function readLines(evidence: string): {
  readonly lines: readonly number[];
  readonly isAlone: boolean;
} {
  const [, written, end] = /^line (\d+(?:, \d+)*)( alone$)?/.exec(evidence) ?? [];
  return { lines: written?.split(', ').map(Number) ?? [], isAlone: end !== undefined };
}
