import { z } from 'zod';

/** One page of a list, as REST, MCP and the command line transfer it. */
export function pageRecord<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
