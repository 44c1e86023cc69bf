import type { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

/** Creates an error in a query. `at` is the 0-based offset in UTF-16 units; the message has a 1-based column. */
export function queryError(at: number, message: string): InvalidInput {
  const error = `column ${at + 1}: ${message}`;
  return invalidField('q', error, `Query, ${error}`);
}
