/** Prints the evidence of an edge whose source has a variable of the same name: the lines that mean no variable. */
export function printOnlyLines(lines: Iterable<number>): string {
  return `only lines ${[...lines].join(', ')}`;
}

/** Reads the lines from the evidence of an edge. `isOnly`: other lines of its source may mean a variable. */
export function linesOfEvidence(evidence: string): {
  readonly lines: readonly number[];
  readonly isOnly: boolean;
} {
  const [, written, single] = /^(?:only lines (\d+(?:, \d+)*)|line (\d+))/.exec(evidence) ?? [];
  return {
    lines: (written ?? single)?.split(', ').map(Number) ?? [],
    isOnly: written !== undefined,
  };
}
