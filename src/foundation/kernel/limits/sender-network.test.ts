import { expect, it } from 'vitest';
import { senderNetwork, senderNetworks } from './sender-network.ts';

it.each([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
  ['no address', 'no address', true],
  ['no address', 'another', false],
])('%s and %s belong to one sender: %s', (one, other, same) => {
  expect(senderNetwork(one) === senderNetwork(other)).toBe(same);
});

it('counts an IPv6 address in its larger networks as well', () => {
  expect(senderNetworks('192.0.2.1')).toEqual([{ name: '192.0.2.1', share: 1 }]);
  expect(senderNetworks('no address')).toEqual([{ name: 'no address', share: 1 }]);
  const shares = (address: string) =>
    new Map(senderNetworks(address).map(({ name, share }) => [share, name]));
  const one = shares('2001:db8:7:ab01::1');
  const shared = (other: string) => [...one].filter(([share, name]) => shares(other).get(share) === name);
  expect(shared('2001:db8:7:ab01::2').map(([share]) => share)).toEqual([1, 2, 4]);
  expect(shared('2001:db8:7:abff::1').map(([share]) => share)).toEqual([2, 4]);
  expect(shared('2001:db8:7:ff00::1').map(([share]) => share)).toEqual([4]);
  expect(shared('2001:db8:8:ab01::1')).toEqual([]);
});
