import type { FastifyRequest } from 'fastify';
import { NulRefused } from '../../../foundation/db/refuse-nul.ts';
import { type FieldError, InvalidInput, type OrgctxError } from '../../../foundation/kernel/errors.ts';
import { pointerTo } from '../../../foundation/kernel/wire/json-pointer.ts';

/** Adds the fields of a request that contain a NUL to the error of the database, which knows no fields. */
export function withNulFields(
  error: OrgctxError | undefined,
  { query, params, body }: Pick<FastifyRequest, 'query' | 'params' | 'body'>,
): OrgctxError | undefined {
  if (!(error instanceof NulRefused)) return error;
  const errors = [query, params, body].flatMap((part) => nulFields(part, []));
  return new InvalidInput(error.message, { errors });
}

/** Returns the fields of a value with a NUL. The parsers of the surface bound its depth. */
function nulFields(value: unknown, at: readonly string[]): readonly FieldError[] {
  if (typeof value === 'string') {
    return value.includes('\0') ? [{ path: pointerTo(at), message: 'contains a NUL character' }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => nulFields(inner, [...at, name]));
}
