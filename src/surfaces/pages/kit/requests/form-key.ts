import { randomBytes } from 'node:crypto';

/** Creates a key of 256 random bits, which the browser keeps in a cookie. */
export function newFormKey(): string {
  return randomBytes(32).toString('base64url');
}

export function isFormKey(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}
