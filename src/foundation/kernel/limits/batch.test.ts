import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batch } from './batch.ts';

/** Doubles numbers and records the groups; a group that contains 13 fails. */
function doubling(options: Partial<Parameters<typeof batch<number, number>>[1]> = {}) {
  const groups: (readonly number[])[] = [];
  const double = batch(
    async (items: readonly number[]) => {
      groups.push(items);
      await nextTick();
      if (items.includes(13)) throw new Error('13');
      return items.map((item) => 2 * item);
    },
    { maxSize: 100, ...options },
  );
  return { double, groups };
}

describe('batch', () => {
  it('groups items of one tick and returns the result of each', async () => {
    const { double, groups } = doubling();
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1, 2, 3]]);
  });

  it('groups items that arrive while another group is in progress', async () => {
    const { double, groups } = doubling();
    const first = double(1);
    while (groups.length === 0) await nextTick();
    expect(await Promise.all([first, double(2), double(3)])).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('waits while each event loop tick adds items, but not for ever', async () => {
    const { double, groups } = doubling();
    const all: Promise<number>[] = [];
    for (let item = 100; groups.length === 0; item += 1) {
      const tick = nextTick();
      all.push(double(item));
      await tick;
    }
    await Promise.all(all);
    expect(groups[0]?.length).toBeGreaterThan(10);
  });

  it('forms groups up to the maximum size, with a larger item in a group of its own', async () => {
    const { double, groups } = doubling({ maxSize: 10, size: (item) => item });
    await Promise.all([4, 6, 1, 30, 2].map(double));
    expect(groups).toEqual([[4, 6], [1], [30], [2]]);
  });

  it('rejects every item of a group that fails', async () => {
    const { double } = doubling();
    const results = await Promise.allSettled([1, 13, 2].map(double));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await double(4)).toBe(8);
  });

  it('tries each item separately after an error that fails `each`', async () => {
    const { double, groups } = doubling({ onError: () => 'each' });
    const results = await Promise.allSettled([1, 13, 2].map(double));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([[1, 13, 2], [1], [13], [2]]);
  });

  it('also rejects the items that wait after an error that fails `all`', async () => {
    const { double, groups } = doubling({ onError: () => 'all', maxSize: 2 });
    const results = await Promise.allSettled([1, 13, 2, 3, 4].map(double));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(groups).toEqual([[1, 13]]);
    expect(await double(4)).toBe(8);
  });

  it('rejects the items that were to be tried separately after an error that fails `all`', async () => {
    let errors = 0;
    const { double, groups } = doubling({ onError: () => (errors++ === 0 ? 'each' : 'all') });
    const results = await Promise.allSettled([1, 13, 2].map(double));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(groups).toEqual([[1, 13, 2], [1], [13]]);
    expect(await Promise.all([4, 5].map(double))).toEqual([8, 10]);
    expect(groups.at(-1)).toEqual([4, 5]);
  });
});
