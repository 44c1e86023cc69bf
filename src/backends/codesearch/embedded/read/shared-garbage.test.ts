import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { sharedGarbage } from './shared-garbage.ts';

const MB = 1024 * 1024;
const { NODE_PERFORMANCE_GC_FLAGS_FORCED: FORCED } = constants;

/** Makes shared memory and forgets it: only whether it is still there is known. */
function forgotten(count: number): WeakRef<SharedArrayBuffer>[] {
  return Array.from({ length: count }, () => new WeakRef(new SharedArrayBuffer(MB, { maxByteLength: MB })));
}

it('shared memory that is dropped is given back, once it is worth the time', async () => {
  const memory = forgotten(64);
  const held = (): number => memory.filter((one) => one.deref() !== undefined).length;
  const dropped = sharedGarbage();
  dropped(MB);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held()).toBe(64);
  dropped(63 * MB);
  await expect.poll(held, { timeout: 10_000 }).toBeLessThan(8);
});

it('however many tables are dropped one after another, they are collected once', async () => {
  const forced: PerformanceEntry[] = [];
  const isForced = ({ detail }: PerformanceEntry & { detail?: unknown }): boolean =>
    ((detail as { flags: number }).flags & FORCED) !== 0;
  const observer = new PerformanceObserver((list) => forced.push(...list.getEntries().filter(isForced)));
  observer.observe({ entryTypes: ['gc'] });
  const dropped = sharedGarbage();
  for (let table = 0; table < 256; table++) dropped(MB);
  await expect.poll(() => forced.length, { timeout: 10_000 }).toBeGreaterThan(0);
  // Had there been others, they would have come with it.
  await after(100);
  observer.disconnect();
  expect(forced).toHaveLength(1);
});

it('takes the collector from no thread that is about to fetch it', async () => {
  const memory = forgotten(64);
  sharedGarbage()(64 * MB);
  const held = (): number => memory.filter((one) => one.deref() !== undefined).length;
  await expect.poll(held, { timeout: 10_000 }).toBeLessThan(8);
  expect(runInNewContext('typeof gc')).toBe('function');
});
