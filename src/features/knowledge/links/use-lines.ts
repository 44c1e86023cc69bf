import { graphLimits } from '../../../backends/graph/port.ts';
import type { Certainty } from '../certainty.ts';

/** The lines at which the source of an edge uses its target. */
export interface UseLines {
  /** The lines of its uses, in ascending order. */
  readonly lines: readonly number[];
  /** Further lines, which only may use it where the edge is certain. */
  readonly possible: readonly number[];
  /** The meaning of the name in all other lines of the source: the same, perhaps the same, or an unknown one. */
  readonly others: 'same' | 'possible' | 'unknown';
}

const start = /^only lines? /;
const then = ', possibly ';
const rest = `${then}others`;

/**
 * Prints the evidence of an edge: the first line if others with the name mean the same, otherwise (`byLine`) the lines
 * that use what it leads to and those that may use it, each by its distance from the one before:
 * `only lines 7 +2, possibly 30`. If some lines have no room, it says that all others are possible.
 */
export function printUseLines(
  { certain, possible }: Readonly<Record<Certainty, Iterable<number>>>,
  byLine: boolean,
): string {
  const parts = [certain, possible]
    .map((lines) => [...new Set(lines)].toSorted((one, other) => one - other))
    .filter(({ length }) => length > 0);
  const [first = []] = parts;
  if (!byLine) return `line ${first[0]}`;
  const written = `only line${first.length === 1 ? '' : 's'} ${parts.map(printDistances).join(then)}`;
  if (written.length <= graphLimits.reason) return written;
  const [kept] = /^.*\d(?=[ ,])/.exec(written.slice(0, graphLimits.reason - rest.length)) ?? [];
  return `${kept}${rest}`;
}

/** Reads the lines from the evidence of an edge; none if it has no lines. */
export function linesOfEvidence(evidence: string): UseLines {
  const head = headOf(evidence);
  if (!start.test(head)) {
    const line = /^line (\d+)/.exec(head)?.[1];
    return { lines: line === undefined ? [] : [Number(line)], possible: [], others: 'same' };
  }
  const written = head.replace(start, '').replace(rest, '');
  const [lines = [], possible = []] = written.split(then).map(readDistances);
  return { lines, possible, others: head.endsWith(rest) ? 'possible' : 'unknown' };
}

/** Returns whether the evidence of an edge tells all lines of its uses. */
export function isPlaced(evidence: string): boolean {
  return start.test(evidence) && !headOf(evidence).endsWith(rest);
}

/** Returns the lines that begin an evidence, before its colon. */
function headOf(evidence: string): string {
  return evidence.split(/:(?: |$)/, 1)[0] ?? '';
}

function printDistances(lines: readonly number[]): string {
  return lines.map((line, index) => (index === 0 ? `${line}` : `+${line - lines[index - 1]!}`)).join(' ');
}

function readDistances(written: string): readonly number[] {
  let line = 0;
  return written.split(' ').map((distance) => (line += Number(distance)));
}
