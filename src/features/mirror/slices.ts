/**
 * Cuts a list into parts of at most `rows` items and `bytes` together, in order; an item that is larger alone is a
 * part of its own.
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
    const more = bytesOf(item);
    const full = current.length >= limits.rows || bytes + more > limits.bytes;
    if (full && current.length > 0) {
      slices.push(current);
      current = [];
      bytes = 0;
    }
    current.push(item);
    bytes += more;
  }
  if (current.length > 0) slices.push(current);
  return slices;
}
