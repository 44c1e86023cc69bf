/**
 * Splits a list, in order, into slices of at most `rows` items and `bytes` in total. A larger item gets its own
 * slice.
 */
export function slicesOf<Item>(
  items: readonly Item[],
  limits: { readonly rows: number; readonly bytes: number },
  bytesOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const slices: Item[][] = [];
  let current: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const full = current.length >= limits.rows || bytes + size > limits.bytes;
    if (full && current.length > 0) {
      slices.push(current);
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += size;
  }
  if (current.length > 0) slices.push(current);
  return slices;
}

/** Maximum number of rows or ids per statement: Postgres takes 65,535 parameters, SQLite 32,766. */
const maxRows = 500;

/** Splits a list, in order, into slices of at most 500 items. */
export function inSlices<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return slicesOf(items, { rows: maxRows, bytes: Number.POSITIVE_INFINITY }, () => 0);
}
