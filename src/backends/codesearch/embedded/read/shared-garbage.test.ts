import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { sharedGarbage } from './shared-garbage.ts';

const megabyte = 1024 * 1024;
const { NODE_PERFORMANCE_GC_FLAGS_FORCED: forcedCollection } = constants;

/** Allocates shared memory and keeps only weak references to it. */
function unreferencedMemory(count: number): WeakRef<SharedArrayBuffer>[] {
  return Array.from(
    { length: count },
    () => new WeakRef(new SharedArrayBuffer(megabyte, { maxByteLength: megabyte })),
  );
}

it('releases dropped shared memory once there is enough of it', async () => {
  const memory = unreferencedMemory(64);
  const held = (): number => memory.filter((one) => one.deref() !== undefined).length;
  const dropped = sharedGarbage();
  dropped(megabyte);
  await new Promise((resolve) => setImmediate(resolve));
  expect(held()).toBe(64);
  dropped(63 * megabyte);
  await expect.poll(held).toBeLessThan(8);
});

it('runs one collection for many tables that are dropped in succession', async () => {
  const forced: PerformanceEntry[] = [];
  const isForced = ({ detail }: PerformanceEntry & { detail?: unknown }): boolean =>
    ((detail as { flags: number }).flags & forcedCollection) !== 0;
  const observer = new PerformanceObserver((list) => forced.push(...list.getEntries().filter(isForced)));
  observer.observe({ entryTypes: ['gc'] });
  const dropped = sharedGarbage();
  for (let table = 0; table < 256; table++) dropped(megabyte);
  await expect.poll(() => forced.length).toBeGreaterThan(0);
  // Further collections would have been observed as well.
  await delay(100);
  observer.disconnect();
  expect(forced).toHaveLength(1);
});

it('leaves the collector available to other threads', async () => {
  const memory = unreferencedMemory(64);
  sharedGarbage()(64 * megabyte);
  const held = (): number => memory.filter((one) => one.deref() !== undefined).length;
  await expect.poll(held).toBeLessThan(8);
  expect(runInNewContext('typeof gc')).toBe('function');
});
