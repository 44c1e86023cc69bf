import { invalidField } from '../../../foundation/kernel/invalid-field.ts';

const maxLength = 100;

/**
 * A name for people: of an organization, of a key. Control and format characters could forge a line of a terminal
 * or hide a word in a page, and NUL does not fit into Postgres.
 */
export function checkDisplayName(text: string, field: string): string {
  const name = text.trim();
  if (name.length === 0 || name.length > maxLength || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(name)) {
    const message = `must be 1 to ${maxLength} characters without control characters`;
    throw invalidField(field, message, `The ${field} ${message}.`);
  }
  return name;
}
