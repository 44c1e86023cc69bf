import { graphLimits } from '../../../backends/graph/port.ts';

/** Where a definition uses what an edge leads to. */
export interface UseLines {
  /** The lines of its uses, in ascending order. */
  readonly lines: readonly number[];
  /** Further lines, which only may use it where the edge is certain. */
  readonly possible: readonly number[];
  /** What the name means in all other lines of the definition: the same, perhaps the same, or what nothing tells. */
  readonly others: 'same' | 'possible' | 'unknown';
}

const start = 'only lines ';
const then = ', possibly ';
const rest = `${then}others`;

/**
 * Prints the lines that use what an edge leads to, and those that may use it, each by its distance from the one before:
 * `only lines 7 +2, possibly 30`. Of those that have no room, it says that all others are possible.
 */
export function printOnlyLines(lines: readonly number[], possible: readonly number[] = []): string {
  const parts = [lines, possible].filter(({ length }) => length > 0).map(printDistances);
  const written = `${start}${parts.join(then)}`;
  if (written.length <= graphLimits.reason) return written;
  const [kept] = /^.*\d(?=[ ,])/.exec(written.slice(0, graphLimits.reason - rest.length)) ?? [];
  return `${kept}${rest}`;
}

/** Reads the lines from the evidence of an edge; none if it has no lines. */
export function linesOfEvidence(evidence: string): UseLines {
  if (!evidence.startsWith(start)) {
    const line = /^line (\d+)/.exec(evidence)?.[1];
    return { lines: line === undefined ? [] : [Number(line)], possible: [], others: 'same' };
  }
  const written = evidence.slice(start.length).replace(rest, '');
  const [lines = [], possible = []] = written.split(then).map(readDistances);
  return { lines, possible, others: evidence.endsWith(rest) ? 'possible' : 'unknown' };
}

function printDistances(lines: readonly number[]): string {
  return lines.map((line, index) => (index === 0 ? `${line}` : `+${line - lines[index - 1]!}`)).join(' ');
}

function readDistances(written: string): readonly number[] {
  let line = 0;
  return written.split(' ').map((distance) => (line += Number(distance)));
}
