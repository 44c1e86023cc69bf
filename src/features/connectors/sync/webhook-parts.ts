import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { parseJson } from '../../../foundation/kernel/wire/parse-json.ts';

/** Pattern of the ids of providers. */
export const providerId = /^[\w-]{1,100}$/;

/** Returns the different values of headers that mean the same, such as a neutral name and the one of the provider. */
export function valuesOf(headers: IncomingHttpHeaders, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => headers[name] ?? []))];
}

/** Parses the body of a verified webhook. `what` names it with its article: `an event`. @throws InvalidInput */
export function parseBody<T>(body: Buffer, shape: z.ZodType<T>, what: string): T {
  const value = parseJson(body);
  if (value === undefined) throw unreadable('it is not valid JSON');
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unreadable(`it is not ${what}`, parsed.error);
}

export function unreadable(why: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`The body cannot be read: ${why}.`, { cause });
}
