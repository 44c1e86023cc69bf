import { setImmediate as nextTurn } from 'node:timers/promises';

export interface GatherOptions<Item> {
  /** Sizes of one group's items together; an item that is larger goes alone. */
  readonly largest: number;
  /** Of an item; default: 1. */
  readonly size?: (item: Item) => number;
  /** Of the event loop, that a group waits for others at least; default: 1. */
  readonly turns?: number;
  /** Whether the items of a group that failed so are each tried alone; default: they all fail with it. */
  readonly alone?: (error: unknown) => boolean;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly told: PromiseWithResolvers<Answer>;
}

/** After which a group goes even if each turn still brings more. */
const mostTurns = 20;

/**
 * Lets items that come close together share one piece of work: those that come while the event loop's turns each bring
 * more, and those that come while the group before is worked on. Groups follow one another; no item waits for a timer.
 * `work` is given a group and resolves with the answer to each item, in their order.
 */
export function gather<Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { largest, size = () => 1, turns = 1, alone = () => false }: GatherOptions<Item>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let working = false;

  const answer = async (group: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await work(group.map(({ item }) => item));
      for (const [index, { told }] of group.entries()) told.resolve(answers[index] as Answer);
    } catch (error) {
      if (group.length > 1 && alone(error)) for (const one of group) await answer([one]);
      else for (const { told } of group) told.reject(error);
    }
  };

  const takeGroup = (): readonly Waiting<Item, Answer>[] => {
    let total = 0;
    const beyond = waiting.findIndex(({ item }) => (total += size(item)) > largest);
    const group = waiting.slice(0, beyond === -1 ? waiting.length : Math.max(1, beyond));
    waiting = waiting.slice(group.length);
    return group;
  };

  const workOffAll = async (): Promise<void> => {
    working = true;
    while (waiting.length > 0) {
      for (let turn = 0, before = 0; turn < mostTurns; turn += 1) {
        if (turn >= turns && waiting.length === before) break;
        before = waiting.length;
        await nextTurn();
      }
      await answer(takeGroup());
    }
    working = false;
  };

  return (item) => {
    const told = Promise.withResolvers<Answer>();
    waiting.push({ item, told });
    if (!working) void workOffAll();
    return told.promise;
  };
}
