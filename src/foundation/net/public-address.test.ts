import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

const inside = {
  '0.0.0.0': 'this host',
  '0.1.2.3': 'this network',
  '10.1.2.3': 'private',
  '100.64.0.1': 'carrier-grade NAT',
  '100.100.100.200': 'metadata of a cloud',
  '127.0.0.1': 'loopback',
  '127.8.8.8': 'loopback',
  '168.63.129.16': 'host agent of a cloud',
  '169.254.169.254': 'metadata of most clouds',
  '172.16.0.1': 'private',
  '172.31.255.255': 'private',
  '192.0.0.192': 'metadata of a cloud',
  '192.0.2.1': 'documentation',
  '192.88.99.1': '6to4 relay',
  '192.168.1.1': 'private',
  '198.18.0.1': 'benchmarking',
  '198.51.100.1': 'documentation',
  '203.0.113.1': 'documentation',
  '224.0.0.1': 'multicast',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
  '::': 'unspecified',
  '::1': 'loopback',
  '::7f00:1': 'IPv4-compatible',
  '::8.8.8.8': 'IPv4-compatible, public inside',
  '::ffff:127.0.0.1': 'IPv4-mapped',
  '::ffff:8.8.8.8': 'IPv4-mapped, public inside',
  '64:ff9b::7f00:1': 'NAT64',
  '64:ff9b:1::7f00:1': 'local NAT64',
  '100::1': 'discard',
  '2001::1': 'Teredo',
  '2001:2::1': 'benchmarking',
  '2001:db8::1': 'documentation',
  '2002:7f00:1::': '6to4 of loopback',
  '3fff::1': 'documentation',
  '5f00::1': 'segment routing',
  'fc00::1': 'unique local',
  'fd00:ec2::254': 'metadata of a cloud',
  'fe80::1': 'link local',
  'fe80::1%eth0': 'link local with a zone',
  'fec0::1': 'site local',
  'ff02::1': 'multicast',
  '2606:4700::1111%eth0': 'public with a zone',
  '8.8.8': 'short form',
  '134744072': 'decimal form',
  '010.8.8.8': 'octal form',
  'example.com': 'a name',
  '': 'nothing',
};

describe('isPublicAddress', () => {
  it.each(Object.entries(inside))('returns false for %s (%s)', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001:801::200e'])(
    'says yes to %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});
