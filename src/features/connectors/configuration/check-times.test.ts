import { expect, it } from 'vitest';
import { nextCheckDelay } from './sync-configuration.ts';

/** Interval of the rounds in which the worker starts checks that are due, in milliseconds. */
const roundMs = 30_000;

it('a connection that awaits its merge is due again in the next round, even after a slow check', () => {
  const slowCheckMs = 9_000;
  for (const when of ['regular', 'soon'] as const) {
    expect(slowCheckMs + nextCheckDelay(900_000, 'awaiting_merge', when)).toBeLessThan(roundMs);
  }
});

it('a connected connection is checked once in each interval', () => {
  const delay = nextCheckDelay(900_000, 'connected', 'regular');
  expect([delay >= 720_000, delay <= 900_000]).toEqual([true, true]);
});
