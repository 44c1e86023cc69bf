/** Adds an item to the list that a map has for a key. */
export function addTo<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}
