import type { UserId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

export interface User {
  readonly id: UserId;
  readonly email: string;
  readonly disabled: boolean;
}

/** Maximum length of an e-mail address, in characters (RFC 5321 section 4.5.3.1.3, without the angle brackets). */
const maxEmailLength = 254;

/**
 * Validates an e-mail address and normalizes it to lower case, so that each address is one user. Does not check
 * deliverability.
 * @throws InvalidInput
 */
export function checkEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (
    email.length > maxEmailLength ||
    !/^[^\s@\p{Cc}\p{Cf}\p{Cs}]+@[^\s@\p{Cc}\p{Cf}\p{Cs}]+$/u.test(email)
  ) {
    const message = 'must be an address such as ada@example.com';
    throw invalidField('email', message, `The e-mail ${message}.`);
  }
  return email;
}
