import type { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';

/** A fault in a query: `at` is the 0-based offset in UTF-16 units; people count columns from 1. */
export function queryFault(at: number, message: string): InvalidInput {
  const fault = `column ${at + 1}: ${message}`;
  return invalidField('q', fault, `Query, ${fault}`);
}
