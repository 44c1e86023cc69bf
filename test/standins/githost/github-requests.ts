import type { operations } from '@octokit/openapi-types';
import { z } from 'zod';
import type { RouteCall } from './strict-api.ts';

/** The body of a call, as the vendor's OpenAPI document has it. */
export type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody?: { content: { 'application/json': infer T } };
}
  ? NonNullable<T>
  : never;

const wholeNumber = z.string().regex(/^[1-9]\d*$/);
/** The parameters of a list. */
export const page = {
  per_page: wholeNumber.refine((text) => Number(text) <= 100).optional(),
  page: wholeNumber.optional(),
};
export const pages = z.object(page);

/** Returns the page that a call asks for. */
export function sizeOf({ query }: RouteCall, size: number): { readonly size: number; readonly page: number } {
  return { size: Number(query['per_page'] ?? size), page: Number(query['page'] ?? 1) };
}
