import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { UsageError } from '../usage-error.ts';

/** Length of the shortest id that a list shows. */
const shownLength = 8;
/** Length of the shortest text that is accepted as the start of an id. */
const minStartLength = 4;

/** Returns a function that shortens the ids of a list to starts that are unique in the list. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const count = new Set(ids).size;
  let length = shownLength;
  while (new Set(ids.map((id) => cut(id, length))).size < count) length++;
  return (id) => cut(id, length);
}

function cut(id: string, length: number): string {
  return id.slice(0, id[length - 1] === '-' ? length + 1 : length);
}

/** Returns whether a text is long enough to be accepted as the start of an id. */
export function mayStartId(text: string): boolean {
  return text.length >= minStartLength;
}

/** An entry that an id may mean. */
export interface Candidate {
  readonly id: string;
  /** Its name, shown next to the id. */
  readonly label: string;
}

/** Maximum number of candidates that an error lists. */
const maxListed = 5;

/** Creates the error for the start of an id that several entries share, which lists them. */
export function ambiguousId(start: string, plural: string, candidates: readonly Candidate[]): UsageError {
  return ambiguous(`The ids of several ${plural} start with "${start}".`, candidates);
}

/** Creates the error for an argument that several entries have in common, which lists them. */
export function ambiguous(message: string, candidates: readonly Candidate[]): UsageError {
  const listed = candidates
    .slice(0, maxListed)
    .map(({ id, label }) => visibleLine(`  ${id}  ${label}`).trimEnd());
  return new UsageError(
    message,
    [
      'Give enough characters of the id of one of these:',
      ...listed,
      ...(candidates.length > maxListed ? ['  …'] : []),
    ].join('\n'),
  );
}
