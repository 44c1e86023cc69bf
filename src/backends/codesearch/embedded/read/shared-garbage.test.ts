import { expect, it } from 'vitest';
import { sharedGarbage } from './shared-garbage.ts';

const MB = 1024 * 1024;

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
  await expect.poll(held).toBeLessThan(8);
});
