export interface FairQueueLimits {
  /** Maximum number of items of one owner. */
  readonly each: number;
  /** Maximum number of items of all owners. */
  readonly all: number;
}

/** A queue that takes items from its owners round-robin, so that an owner with many items delays only its own. */
export interface FairQueue<T> {
  /** Adds an item. Returns false if the queue is full, for this owner or overall. */
  add(owner: string, item: T): boolean;
  /**
   * Removes and returns the oldest item of the first owner, in round-robin order, whose oldest item passes `mayTake`.
   */
  take(mayTake: (owner: string, item: T) => boolean): T | undefined;
  /** Removes an item. Returns false if the item is not queued. */
  remove(owner: string, item: T): boolean;
  /** Removes and returns all items. */
  drain(): readonly T[];
}

export function fairQueue<T>({ each, all }: FairQueueLimits): FairQueue<T> {
  /** In round-robin order: an owner whose item was taken moves to the end. */
  const owners = new Map<string, T[]>();
  let waiting = 0;
  return {
    add: (owner, item) => {
      const items = owners.get(owner) ?? [];
      if (items.length >= each || waiting >= all) return false;
      items.push(item);
      owners.set(owner, items);
      waiting += 1;
      return true;
    },
    take: (mayTake) => {
      for (const [owner, items] of owners) {
        if (!mayTake(owner, items[0]!)) continue;
        owners.delete(owner);
        waiting -= 1;
        const item = items.shift();
        if (items.length > 0) owners.set(owner, items);
        return item;
      }
      return undefined;
    },
    remove: (owner, item) => {
      const items = owners.get(owner) ?? [];
      const at = items.indexOf(item);
      if (at < 0) return false;
      items.splice(at, 1);
      if (items.length === 0) owners.delete(owner);
      waiting -= 1;
      return true;
    },
    drain: () => {
      const items = [...owners.values()].flat();
      owners.clear();
      waiting = 0;
      return items;
    },
  };
}
