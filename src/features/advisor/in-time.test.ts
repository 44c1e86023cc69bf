import { expect, it, onTestFinished, vi } from 'vitest';
import { inTime } from './in-time.ts';

it('does not count the time in which it is paused', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let isPaused = true;
  let late: AbortSignal | undefined;
  const time = { milliseconds: 1_000, isPaused: () => isPaused };
  const ended = inTime(time, new AbortController().signal, (signal) => {
    late = signal;
    return Promise.withResolvers<string>().promise;
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(late?.aborted).toBe(false);
  isPaused = false;
  await vi.advanceTimersByTimeAsync(900);
  expect(late?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(late?.aborted).toBe(true);
  expect(await ended).toBeUndefined();
});
