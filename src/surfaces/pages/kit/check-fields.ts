import { z } from 'zod';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { Faults } from './form.ts';
import type { Fields } from './form-guard.ts';

export type CheckedFields<Values> =
  | { readonly values: Values; readonly faults?: undefined }
  | { readonly values?: undefined; readonly faults: Faults };

/** Each message of the schema is a whole sentence: it stands in the summary and at the field. */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  fields: Fields,
): CheckedFields<z.output<Schema>> {
  const result = schema.safeParse({ ...fields });
  if (result.success) return { values: result.data };
  const faults: Record<string, string> = {};
  for (const { path, message } of result.error.issues) faults[String(path[0] ?? '')] ??= message;
  return { faults };
}

/** What a use case found wrong, for the form that it came from; other errors are thrown on. */
export function faultsOf(error: unknown, names: readonly string[]): Faults {
  if (!(error instanceof InvalidInput)) throw error;
  const [fault] = error.errors;
  const name = fault !== undefined && names.includes(fault.path) ? fault.path : '';
  return { [name]: error.message };
}

/** A field that must be filled in, of at most `most` characters. */
export function filled(missing: string, most: number) {
  return z
    .string({ error: missing })
    .trim()
    .min(1, { error: missing })
    .max(most, { error: `That is too long: at most ${most} characters.` });
}

/** A password as it was typed: its spaces count. */
export function typedPassword(missing: string) {
  return z
    .string({ error: missing })
    .min(1, { error: missing })
    .max(1024, { error: 'That is too long for a password.' });
}
