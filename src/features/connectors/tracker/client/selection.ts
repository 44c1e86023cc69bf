import { z } from 'zod';

/** A value that GraphQL answers with null if it is absent. */
export function maybe<T extends z.ZodType>(shape: T) {
  return shape.nullable().transform((value) => value ?? undefined);
}

export const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: maybe(z.string()) });

/** Number of items of each nested list that a query asks for. */
const firstOf = new WeakMap<z.ZodType, number>();

/**
 * Returns the shape of a nested list, of which a query asks for the first `first` items. Each list has an explicit
 * number: the provider counts 50 where it is absent, and refuses queries that could return too much.
 */
export function listOf<T extends z.ZodObject>(item: T, first: number) {
  const shape = z.object({ nodes: z.array(item), pageInfo });
  firstOf.set(shape, first);
  return shape;
}

/** Returns the shapes of the nested lists of a shape, by their names. */
export function listsIn(shape: z.ZodObject): ReadonlyMap<string, z.ZodObject> {
  const lists = Object.entries(shape.shape).filter(([, field]) => firstOf.has(field as z.ZodType));
  return new Map(lists as [string, z.ZodObject][]);
}

/** Returns the fields of a shape as GraphQL selects them: `id state { name type }`. */
export function selectionOf(shape: z.ZodObject): string {
  return Object.entries(shape.shape)
    .map(([name, field]) => selectField(name, field as z.ZodType))
    .join(' ');
}

function selectField(name: string, field: z.ZodType): string {
  const first = firstOf.get(field);
  const inner = unwrap(field);
  if (!(inner instanceof z.ZodObject)) return name;
  return `${name}${first === undefined ? '' : `(first: ${first})`} { ${selectionOf(inner)} }`;
}

function unwrap(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodPipe) return unwrap(field.in as z.ZodType);
  if (field instanceof z.ZodNullable) return unwrap(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodArray) return unwrap(field.element as z.ZodType);
  return field;
}

/** A parsed shape whose lists are complete: plain arrays. */
export type Complete<T> = {
  readonly [K in keyof T]: T[K] extends { nodes: (infer Item)[]; pageInfo: unknown } ? readonly Item[] : T[K];
};
