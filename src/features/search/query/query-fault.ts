import { InvalidInput } from '../../../foundation/kernel/errors.ts';

/** A fault in a query: `at` is the 0-based offset in UTF-16 units; people count columns from 1. */
export function queryFault(at: number, message: string): InvalidInput {
  const text = `Query, column ${at + 1}: ${message}`;
  return new InvalidInput(text, { errors: [{ path: 'q', message: `column ${at + 1}: ${message}` }] });
}
