import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** The last node of a page: whether its name began with the text, its folded name and its number. */
export interface SearchPosition {
  readonly prefix: boolean;
  readonly folded: string;
  readonly id: number;
}

/** Returns the cursor of the page after a node. */
export function writeCursor({ prefix, folded, id }: SearchPosition): string {
  return Buffer.from(JSON.stringify([prefix, folded, id])).toString('base64url');
}

/** Reads a cursor. @throws InvalidInput for one that is not of an earlier page */
export function readCursor(cursor: string): SearchPosition {
  try {
    const [prefix, folded, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof prefix === 'boolean' && typeof folded === 'string' && Number.isSafeInteger(id))
      return { prefix, folded, id: id as number };
  } catch {
    // Answered below.
  }
  throw invalidField('cursor', 'must be the nextCursor of an earlier page, unchanged');
}
