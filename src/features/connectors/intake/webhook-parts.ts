import { createHmac, timingSafeEqual } from 'node:crypto';
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

/** Returns the value of headers that mean the same; `undefined` if it is absent, or they have different ones. */
export function onlyValue(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  const [value, ...others] = valuesOf(headers, names);
  return others.length === 0 ? value : undefined;
}

/** Returns the delivery id of a provider, if the headers have one that can be stored. */
export function deliveryIdOf(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  const id = onlyValue(headers, names);
  return id !== undefined && providerId.test(id) ? id : undefined;
}

/** Returns a function that tells whether one of the signatures is the HMAC-SHA256 of a body, in lower-case hex. */
export function hmacVerifier(signatures: readonly string[]): (body: Buffer, secret: string) => boolean {
  const given = signatures.map((signature) => Buffer.from(signature, 'hex'));
  return (body, secret) => {
    const wanted = createHmac('sha256', secret).update(body).digest();
    // Each is compared, so that the time does not tell which of them matched.
    return given.filter((signature) => timingSafeEqual(wanted, signature)).length > 0;
  };
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
