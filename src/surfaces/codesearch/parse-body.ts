import type { z } from 'zod';
import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** What came over the network, as the schema knows it. @throws InvalidInput naming each field */
export function parseBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors = result.error.issues.slice(0, 20).map(({ path, message }) => ({
    path: path.map(String).join('.') || 'body',
    message,
  }));
  const places = [...new Set(errors.map(({ path }) => path))].join(', ');
  throw new InvalidInput(`The request is not valid: correct ${places}.`, { errors });
}

/** @throws InvalidInput */
export function parseJson<Body>(schema: z.ZodType<Body>, text: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInput('The body does not begin with a line of JSON.', { cause });
  }
  return parseBody(schema, value);
}
