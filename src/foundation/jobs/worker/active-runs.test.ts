import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../lease/lease-lost.ts';
import { ActiveRuns } from './active-runs.ts';

function untilAborted(signal: AbortSignal): Promise<void> {
  return sleep(2_000, undefined, { signal }).catch(() => {});
}

describe('ActiveRuns', () => {
  it('aborts runs whose lease was not renewed in time', async () => {
    const running = new ActiveRuns();
    let seen: AbortSignal | undefined;
    const run = (signal: AbortSignal): Promise<void> => {
      seen = signal;
      return untilAborted(signal);
    };
    running.add({
      token: 'token',
      slots: 'interactive',
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
    expect(running.tokens).toEqual([]);
  });

  it.each([
    ['abandons leases whose renewal got no reply', true],
    ['abandons no lease that nothing tried to renew, because the process stood still', false],
  ])('%s', async (_name, tried) => {
    const running = new ActiveRuns();
    const leasedAt = running.beginRenewal();
    running.add({ token: 'token', slots: 'bulk', leasedAt, start: untilAborted, changed: () => {} });
    await sleep(5);
    if (tried) running.beginRenewal();
    running.abortUnrenewed(0);
    await running.settled(10_000);
    expect(running.abandoned).toEqual(tried ? ['token'] : []);
    running.forget(['token']);
    expect(running.abandoned).toEqual([]);
  });

  it('waits for runs no longer than requested', async () => {
    const running = new ActiveRuns();
    running.add({
      token: 'token',
      slots: 'interactive',
      leasedAt: performance.now(),
      start: untilAborted,
      changed: () => {},
    });
    const started = performance.now();
    await running.settled(30);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(running.tokens).toEqual(['token']);
    running.abortAll(new Error('end of the test'));
  });
});
