/**
 * Runs a task for each item, at most `atOnce` at a time, and returns the results in the order of the items. After an
 * error, no further item is begun by the turn that failed.
 * @throws the first error of a task
 */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  task: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
