import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ActiveRuns } from './active-runs.ts';
import { LeaseLost } from './lease-lost.ts';

function untilAborted(signal: AbortSignal): Promise<void> {
  return sleep(2_000, undefined, { signal }).catch(() => {});
}

describe('the jobs of a process', () => {
  it('are aborted when their lease was not renewed for long, as when the database does not answer', async () => {
    const running = new ActiveRuns();
    let seen: AbortSignal | undefined;
    const run = (signal: AbortSignal): Promise<void> => {
      seen = signal;
      return untilAborted(signal);
    };
    running.add({
      token: 'token',
      leasedAt: performance.now() - 1_000,
      start: run,
      changed: () => {},
    });
    running.abortUnrenewed(5_000);
    expect(seen?.aborted).toBe(false);
    running.renewed(['token'], new Set(['token']), performance.now());
    running.abortUnrenewed(900);
    expect(seen?.aborted).toBe(false);
    running.abortUnrenewed(0);
    expect(seen?.reason).toBeInstanceOf(LeaseLost);
    await running.settled(1_000);
    expect(running.size).toBe(0);
  });

  it('are waited for no longer than asked', async () => {
    const running = new ActiveRuns();
    running.add({
      token: 'token',
      leasedAt: performance.now(),
      start: untilAborted,
      changed: () => {},
    });
    const started = performance.now();
    await running.settled(30);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(running.size).toBe(1);
    running.abortAll(new Error('end of the test'));
  });
});
