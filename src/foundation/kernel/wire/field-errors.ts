import type { FieldError } from '../errors.ts';
import { pointerTo } from './json-pointer.ts';

/** An issue of a schema. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** The members of the object at `path` that the schema does not know. */
  readonly keys?: readonly string[];
}

/** Returns the fields that issues of a schema name, each unknown member as one. `at` is the place of the whole. */
export function fieldErrorsOf(
  issues: readonly SchemaIssue[],
  at: readonly PropertyKey[] = [],
): readonly FieldError[] {
  return issues.flatMap(({ path, message, keys }) => {
    const place = [...at, ...path];
    if (keys === undefined) return [{ path: pointerTo(place), message }];
    return keys.map((key) => ({ path: pointerTo([...place, key]), message: 'Unrecognized key' }));
  });
}
