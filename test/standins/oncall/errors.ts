import type { Reply } from '../tracker/http.ts';

/** An error body of the provider. */
export function failure(status: number, code: number, message: string, errors?: readonly string[]): Reply {
  return { status, body: { error: { message, code, ...(errors && { errors }) } } };
}

export const notFound = (): Reply => failure(404, 2100, 'Not Found');
export const invalid = (reason: string): Reply => failure(400, 2001, 'Invalid Input Provided', [reason]);
