import { expect, it } from 'vitest';
import { openPauses } from './pauses.ts';

function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

it('lets other work go on after 10 ms, not before', async () => {
  let others = 0;
  const pause = openPauses();
  expect(pause()).toBeUndefined();
  setImmediate(() => {
    others += 1;
  });
  work(11);
  expect(others).toBe(0);
  await pause();
  expect(others).toBe(1);
  expect(pause()).toBeUndefined();
});
