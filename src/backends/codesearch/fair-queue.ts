export interface FairQueueLimits {
  /** Items of one owner. */
  readonly each: number;
  readonly all: number;
}

/** Items that wait, taken in turn by owner: who adds many makes only the own ones wait. */
export interface FairQueue<T> {
  /** False when the queue is full, for this owner or for all. */
  add(owner: string, item: T): boolean;
  /** The oldest item of an owner, of the first in turn whose oldest one `mayTake` lets through. */
  take(mayTake: (owner: string, item: T) => boolean): T | undefined;
  /** False when the item does not wait any more. */
  remove(owner: string, item: T): boolean;
  /** Empties the queue. */
  drain(): readonly T[];
}

export function fairQueue<T>({ each, all }: FairQueueLimits): FairQueue<T> {
  /** In turn: whose item is taken goes to the end. */
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
