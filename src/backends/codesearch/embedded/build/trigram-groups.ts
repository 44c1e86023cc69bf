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
  drain(): Generator<{ readonly group: number; readonly pairs: Uint32Array }>;
}

/** Groups grow by pieces, so that growing copies nothing; pieces of groups that were taken out are used again. */
export function trigramGroups(): TrigramGroups {
  const pieces: Uint32Array<ArrayBuffer>[][] = Array.from({ length: GROUPS }, () => []);
  /** The last piece of each group, and how much of it is used; a group without pieces is full. */
  const last: Uint32Array<ArrayBuffer>[] = Array.from({ length: GROUPS }, () => new Uint32Array(0));
  const used = new Uint32Array(GROUPS).fill(PIECE);
  const free: Uint32Array<ArrayBuffer>[] = [];
  let gathered = new Uint32Array(0);

  const extend = (group: number): void => {
    last[group] = free.pop() ?? new Uint32Array(PIECE);
    pieces[group]!.push(last[group]);
    used[group] = 0;
  };

  const gather = (group: number): Uint32Array => {
    const count = (pieces[group]!.length - 1) * PIECE + used[group]!;
    if (gathered.length < count) gathered = new Uint32Array(count);
    for (const [index, piece] of pieces[group]!.entries()) {
      gathered.set(piece.subarray(0, Math.min(PIECE, count - index * PIECE)), index * PIECE);
    }
    free.push(...pieces[group]!);
    pieces[group] = [];
    used[group] = PIECE;
    return gathered.subarray(0, count);
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
        if (pieces[group]!.length > 0) yield { group, pairs: gather(group) };
      }
    },
  };
}
