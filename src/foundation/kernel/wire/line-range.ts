import { invalidField } from './invalid-field.ts';

/** A range of lines, 1-based and inclusive. If `last` is undefined, it extends to the end of the file. */
export interface LineRange {
  readonly first: number;
  readonly last: number | undefined;
}

/** Parses a range: `10-20`, `10` or `10-`. @throws InvalidInput */
export function parseLineRange(text: string): LineRange {
  const match = /^([1-9]\d{0,8})(-([1-9]\d{0,8})?)?$/u.exec(text);
  const first = Number(match?.[1]);
  const last = match?.[2] === undefined ? first : match[3] === undefined ? undefined : Number(match[3]);
  if (match !== null && (last === undefined || last >= first)) return { first, last };
  const message = 'must be a range of lines counted from 1: `10-20`, `10` or `10-`';
  throw invalidField('lines', message, `The line range ${message}.`);
}

/** Prints a range as `parseLineRange` reads it: `10`, `10-20` or `10-`. */
export function printRange({ first, last }: LineRange): string {
  return last === first ? `${first}` : `${first}-${last ?? ''}`;
}
