import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

const maxLength = 100;

/**
 * Validates a display name of an organization or a key, and trims it. Control and format characters could forge
 * terminal output or hide text in a page, and PostgreSQL cannot store NUL.
 * @throws InvalidInput
 */
export function checkDisplayName(text: string, field: string): string {
  const name = text.trim();
  if (name.length === 0 || name.length > maxLength || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(name)) {
    const message = `must be 1 to ${maxLength} characters without control characters`;
    throw invalidField(field, message, `The ${field} ${message}.`);
  }
  return name;
}
