import { expect, it } from 'vitest';
import { bodyBudget } from './body-budget.ts';
import { senderNetworks } from './sender-network.ts';

/** Returns how many bodies of 10 bytes each address holds at the same time, of a budget of 3,200 bytes. */
function heldBy(addresses: readonly string[]): number[] {
  const budget = bodyBudget({ limit: 3_200, refusal: (exceeded) => new Error(exceeded) });
  return addresses.map((address) => {
    for (let held = 0; ; held += 1) {
      try {
        budget.open({ owner: senderNetworks(address), ownerPart: 1 / 32, length: 10 }).add(10);
      } catch (error) {
        expect(error).toEqual(new Error('owner'));
        return held;
      }
    }
  });
}

it('counts the bodies of an IPv6 address for its /64, /56 and /48', () => {
  expect(heldBy(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '2001:db8:0:2::1'])).toEqual([
    10, 0, 10, 0,
  ]);
  const inFourRanges = Array.from({ length: 5 }, (_, index) => `2001:db8:0:${index}00::1`);
  expect(heldBy(inFourRanges)).toEqual([10, 10, 10, 10, 0]);
  expect(heldBy([...inFourRanges, '2001:db8:1::1', '192.0.2.1'])).toEqual([10, 10, 10, 10, 0, 10, 10]);
});
