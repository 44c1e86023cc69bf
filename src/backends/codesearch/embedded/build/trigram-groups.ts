/** Trigrams are put in order in two steps, by their first letter and then by the rest, so that both stay in the cache. */
export const GROUP_BITS = 14;
const GROUPS = 1 << 7;
const IN_GROUP = (1 << GROUP_BITS) - 1;
/** Pairs. A small index holds one piece for each letter that a trigram of it begins with. */
const PIECE = 1 << 12;

/** (Trigram, unit) pairs by the first letter of the trigram, each as its rest << 16 | unit, in the order of their coming. */
export interface TrigramGroups {
  /** Adds the first `count` of `trigrams`. */
  add(trigrams: Uint32Array, count: number, unit: number): void;
  /** Takes the pairs out, a group after the other. They are good until the next group is asked for. */
  drain(): Generator<TrigramGroup>;
}

export interface TrigramGroup {
  readonly group: number;
  /** How many pairs the pieces hold together; the last piece may be longer. */
  readonly count: number;
  readonly pieces: readonly Uint32Array[];
}

/** Groups grow by pieces, so that growing copies nothing; pieces of groups that were taken out are used again. */
export function trigramGroups(): TrigramGroups {
  const pieces: Uint32Array<ArrayBuffer>[][] = Array.from({ length: GROUPS }, () => []);
  /** The last piece of each group, and how much of it is used; a group without pieces is full. */
  const last: Uint32Array<ArrayBuffer>[] = Array.from({ length: GROUPS }, () => new Uint32Array(0));
  const used = new Uint32Array(GROUPS).fill(PIECE);
  const free: Uint32Array<ArrayBuffer>[] = [];

  const extend = (group: number): void => {
    last[group] = free.pop() ?? new Uint32Array(PIECE);
    pieces[group]!.push(last[group]);
    used[group] = 0;
  };

  return {
    add: (trigrams, count, unit) => {
      for (let index = 0; index < count; index++) {
        const trigram = trigrams[index]!;
        const group = trigram >>> GROUP_BITS;
        if (used[group] === PIECE) extend(group);
        last[group]![used[group]!++] = ((trigram & IN_GROUP) << 16) | unit;
      }
    },
    *drain() {
      for (let group = 0; group < GROUPS; group++) {
        const taken = pieces[group]!;
        if (taken.length === 0) continue;
        yield { group, count: (taken.length - 1) * PIECE + used[group]!, pieces: taken };
        free.push(...taken);
        pieces[group] = [];
        used[group] = PIECE;
      }
    },
  };
}
