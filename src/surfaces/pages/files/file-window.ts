import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import type { LineRange } from '../../../foundation/kernel/wire/line-range.ts';

/** Lines that a page shows at once. Longer files are shown in parts, so that a page stays small. */
const windowLines = 200;

/** Lines above the first marked one, so that its surroundings are visible. */
const linesAbove = 20;

export interface FileWindow {
  /** The marked lines; `undefined` if the address names none. */
  readonly marked: { readonly first: number; readonly last: number } | undefined;
  /** The lines to read. */
  readonly lines: LineRange;
}

/**
 * Returns the part of a file to show for `lines` (`10-20`, `10` or `10-`) and for `from`, the first line of another
 * part of the same file. @throws InvalidInput
 */
export function fileWindow(lines: string | undefined, from: string | undefined): FileWindow {
  const marked = lines === undefined ? undefined : parseLines(lines);
  const start = from === undefined ? Math.max(1, (marked?.first ?? 1) - linesAbove) : parseLines(from).first;
  return { marked, lines: { first: start, last: start + windowLines - 1 } };
}

function parseLines(text: string): { first: number; last: number } {
  const [, from = '', dash, to = ''] = /^(\d{1,9})(-)?(\d{1,9})?$/.exec(text) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : to === '' ? Number.MAX_SAFE_INTEGER : Number(to);
  if (first >= 1 && last >= first) return { first, last };
  throw invalidField('lines', 'must be like 10-20', 'The lines in the address must be like 10-20.');
}
