import { z } from 'zod';
import { InvalidInput, OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { fieldName } from '../../../../foundation/kernel/wire/json-pointer.ts';
import type { Fields } from '../requests/form-guard.ts';
import type { FieldErrors } from './form.ts';

export type CheckedFields<Values> =
  | { readonly values: Values; readonly errors?: undefined }
  | { readonly values?: undefined; readonly errors: FieldErrors };

/**
 * Validates form fields. Each message of the schema must be a sentence: it is shown in the summary and at the field.
 */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  fields: Fields,
): CheckedFields<z.output<Schema>> {
  const result = schema.safeParse({ ...fields });
  if (result.success) return { values: result.data };
  const errors: Record<string, string> = {};
  for (const { path, message } of result.error.issues) errors[String(path[0] ?? '')] ??= message;
  return { errors };
}

/** The statuses of errors that concern a form as a whole. */
const ofWholeForm = new Set([409, 429, 502, 503]);

/**
 * Converts an error to field errors like `errorsOf`. A conflict, too many requests or a failure of another service
 * becomes an error of the form as a whole, so that what was entered stays on the page.
 */
export function formErrorsOf(error: unknown, names: readonly string[]): FieldErrors {
  if (error instanceof OrgctxError && ofWholeForm.has(error.status)) return { '': error.message };
  return errorsOf(error, names);
}

/** Converts an InvalidInput to field errors of the form; rethrows other errors. */
export function errorsOf(error: unknown, names: readonly string[]): FieldErrors {
  if (!(error instanceof InvalidInput)) throw error;
  const [problem] = error.errors;
  const name = problem === undefined ? '' : fieldName(problem.path);
  return { [names.includes(name) ? name : '']: error.message };
}

/** A required field of at most `max` characters. */
export function filled(missing: string, max: number) {
  return z
    .string({ error: missing })
    .trim()
    .min(1, { error: missing })
    .max(max, { error: `This is too long: enter at most ${max} characters.` });
}

/** A password exactly as entered, including spaces. */
export function typedPassword(missing: string) {
  return z
    .string({ error: missing })
    .min(1, { error: missing })
    .max(1024, { error: 'This password is too long: enter at most 1024 characters.' });
}
