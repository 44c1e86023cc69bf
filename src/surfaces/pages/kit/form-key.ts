import { randomBytes } from 'node:crypto';

/** 256 random bits, kept by the browser. */
export function newFormKey(): string {
  return randomBytes(32).toString('base64url');
}

export function isFormKey(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}
