import type { z } from 'zod';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { fieldErrorsOf } from '../../foundation/kernel/wire/field-errors.ts';
import { fieldName } from '../../foundation/kernel/wire/json-pointer.ts';

/** Validates received data against a schema. @throws InvalidInput naming each invalid field */
export function parseBody<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors = fieldErrorsOf(result.error.issues).slice(0, 20);
  const places = [...new Set(errors.map(({ path }) => fieldName(path) || 'body'))].join(', ');
  throw new InvalidInput(`The request is not valid: correct ${places}.`, { errors });
}

/** Parses JSON text and validates it against a schema. @throws InvalidInput */
export function parseJson<Body>(schema: z.ZodType<Body>, text: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInput('The first line of the body is not valid JSON.', { cause });
  }
  return parseBody(schema, value);
}
