import { InvalidInput } from '../kernel/errors.ts';

/** The error for a NUL in a text of a statement. It names no field: a surface knows which one the caller wrote. */
export class NulRefused extends InvalidInput {}

/**
 * Refuses a NUL in a text of a statement. Postgres cannot store one, and SQLite functions end a text at it, so both
 * databases refuse it alike. Text from other systems is cleaned where it is read.
 * @throws NulRefused
 */
export function refuseNul(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (Array.isArray(parameter)) refuseNul(parameter);
    else if (typeof parameter === 'string' && parameter.includes('\0')) {
      throw new NulRefused(
        'A text contains a NUL character (U+0000), which cannot be stored or compared. Remove it.',
      );
    }
  }
}
