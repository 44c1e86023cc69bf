import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

const maxLength = 100;

/**
 * Validates the display name of an organization, a key or a connection, and trims it. Control, format and separator
 * characters could forge terminal output or hide text in a page, and PostgreSQL cannot store NUL.
 * @throws InvalidInput
 */
export function checkDisplayName(text: string, field: string): string {
  const name = text.trim();
  if (name.length === 0 || name.length > maxLength || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
    const message = `must be 1 to ${maxLength} characters without control characters`;
    throw invalidField(field, message, `The ${field} ${message}.`);
  }
  return name;
}
