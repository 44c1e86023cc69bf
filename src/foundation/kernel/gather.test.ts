import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gather } from './gather.ts';

/** Doubles numbers and notes its groups; a group with a 13 in it fails. */
function doubling(options: Partial<Parameters<typeof gather<number, number>>[1]> = {}) {
  const groups: (readonly number[])[] = [];
  const double = gather(
    async (items: readonly number[]) => {
      groups.push(items);
      await nextTurn();
      if (items.includes(13)) throw new Error('13');
      return items.map((item) => 2 * item);
    },
    { largest: 100, ...options },
  );
  return { double, groups };
}

describe('items that come close together', () => {
  it('share one piece of work, and each is given its own answer', async () => {
    const { double, groups } = doubling();
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1, 2, 3]]);
  });

  it('share the next one when they come while another is under way', async () => {
    const { double, groups } = doubling();
    const first = double(1);
    while (groups.length === 0) await nextTurn();
    expect(await Promise.all([first, double(2), double(3)])).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('gather while each turn of the event loop brings more, but not for ever', async () => {
    const { double, groups } = doubling();
    const all: Promise<number>[] = [];
    for (let item = 100; groups.length === 0; item += 1) {
      const turn = nextTurn();
      all.push(double(item));
      await turn;
    }
    await Promise.all(all);
    expect(groups[0]?.length).toBeGreaterThan(10);
  });

  it('form groups up to the largest, and one that is larger goes alone', async () => {
    const { double, groups } = doubling({ largest: 10, size: (item) => item });
    await Promise.all([4, 6, 1, 30, 2].map(double));
    expect(groups).toEqual([[4, 6], [1], [30], [2]]);
  });

  it('fail together', async () => {
    const { double } = doubling();
    const told = await Promise.allSettled([1, 13, 2].map(double));
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await double(4)).toBe(8);
  });

  it('are each tried alone after a fault that may be of one of them', async () => {
    const { double, groups } = doubling({ alone: () => true });
    const told = await Promise.allSettled([1, 13, 2].map(double));
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([[1, 13, 2], [1], [13], [2]]);
  });
});
