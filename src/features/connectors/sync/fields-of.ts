import type { z } from 'zod';

/** Returns a function that gives fields of one shape by their names. */
export function fieldsOf<Shape extends z.ZodType>(shape: Shape) {
  return <const Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, shape])) as Readonly<Record<Name, Shape>>;
}
