import type { z } from 'zod';

/** Parses the JSON text of a column; `undefined` if the column is null. */
export function parseJsonColumn<T>(shape: z.ZodType<T>, text: string | null): T | undefined {
  return text === null ? undefined : shape.parse(JSON.parse(text));
}
