import { setImmediate as nextTick } from 'node:timers/promises';

export interface BatchOptions<Item> {
  /** Maximum total size of the items in one group. A larger item forms a group of its own. */
  readonly maxSize: number;
  /** Returns the size of an item. Default: 1. */
  readonly size?: (item: Item) => number;
  /** Minimum number of event loop ticks that a group waits for further items. Default: 1. */
  readonly minTicks?: number;
  /**
   * Returns what an error of a group fails. Default: always `group`. After `each`, the items of the group are tried
   * separately. `all` also fails the items that wait, which would otherwise begin to wait for the same reason now.
   */
  readonly onError?: (error: unknown) => 'group' | 'each' | 'all';
}

interface Pending<Item, Result> {
  readonly item: Item;
  readonly result: PromiseWithResolvers<Result>;
}

/** Maximum number of ticks that a group waits while each tick adds items. */
const maxTicks = 20;

/**
 * Groups concurrent items into one call of `work`: items that arrive while each event loop tick adds more, and items
 * that arrive while the previous group is in progress. Groups run one after the other; no item waits for a timer.
 * `work` receives a group and resolves with the result of each item, in the same order.
 */
export function batch<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxSize, size = () => 1, minTicks = 1, onError = () => 'group' }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  const pending: Pending<Item, Result>[] = [];
  /** Number of the first pending items that are tried separately. */
  let separate = 0;
  let working = false;

  const runGroup = async (group: readonly Pending<Item, Result>[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [index, { result }] of group.entries()) result.resolve(results[index] as Result);
    } catch (error) {
      const fails = onError(error);
      if (fails === 'each' && group.length > 1) {
        pending.unshift(...group);
        separate = group.length;
        return;
      }
      const failed = fails === 'all' ? [...group, ...pending.splice(0)] : group;
      if (fails === 'all') separate = 0;
      for (const { result } of failed) result.reject(error);
    }
  };

  const takeGroup = (): readonly Pending<Item, Result>[] => {
    if (separate > 0) {
      separate -= 1;
      return pending.splice(0, 1);
    }
    let total = 0;
    const overflow = pending.findIndex(({ item }) => (total += size(item)) > maxSize);
    return pending.splice(0, overflow === -1 ? pending.length : Math.max(1, overflow));
  };

  const drain = async (): Promise<void> => {
    working = true;
    while (pending.length > 0) {
      for (let tick = 0, before = 0; tick < maxTicks; tick += 1) {
        if (tick >= minTicks && pending.length === before) break;
        before = pending.length;
        await nextTick();
      }
      await runGroup(takeGroup());
    }
    working = false;
  };

  return (item) => {
    const result = Promise.withResolvers<Result>();
    pending.push({ item, result });
    if (!working) void drain();
    return result.promise;
  };
}
