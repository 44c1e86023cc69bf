import { expect, it } from 'vitest';
import { senderNetwork } from './sender-network.ts';

it.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
  ['no address', 'no address', true],
  ['no address', 'another', false],
])('%s and %s are one sender: %s', (one, other, same) => {
  expect(senderNetwork(one) === senderNetwork(other)).toBe(same);
});
