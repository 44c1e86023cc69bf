import type { FastifyPluginAsync } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { openTestHttp } from '../../../../test/support/http/http-server.ts';

const proxy = '127.0.0.1';

describe('the address of a client behind a proxy', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterAll(() => database.close());

  async function openWith(trustProxy: boolean | number | readonly string[]) {
    const who: FastifyPluginAsync = async (scope) => void scope.get('/.who', async ({ ip }) => ip);
    const plugins = [{ name: 'who', plugin: who }];
    const { server, logged } = await openTestHttp(database, { http: { trustProxy }, plugins });
    const seen = async (value: string) =>
      (await server.inject({ url: '/.who', remoteAddress: proxy, headers: { 'x-forwarded-for': value } }))
        .body;
    return { seen, warnings: () => logged.filter((line) => line.includes('contains no address')) };
  }

  it('is read without port, brackets and zone', async () => {
    const { seen, warnings } = await openWith(true);
    const cases = [
      ['203.0.113.9', '203.0.113.9'],
      ['203.0.113.9:4711', '203.0.113.9'],
      ['198.51.100.1, 203.0.113.9:80', '203.0.113.9'],
      ['2001:DB8:0::9', '2001:db8::9'],
      ['[2001:db8::9]', '2001:db8::9'],
      ['[2001:db8::9]:4711', '2001:db8::9'],
      ['"[2001:db8::9]:4711"', '2001:db8::9'],
      ['fe80::9%eth0', 'fe80::9'],
      ['[fe80::9%25eth0]:80', 'fe80::9'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
      // Empty members of a list do not count (RFC 9110 section 5.6.1).
      ['203.0.113.9,', '203.0.113.9'],
      [', , 203.0.113.9, ,', '203.0.113.9'],
      ['', proxy],
      [', ,', proxy],
      ['[::ffff:cb00:7109]:80', '203.0.113.9'],
    ];
    for (const [value = '', address] of cases) expect([value, await seen(value)]).toEqual([value, address]);
    expect(warnings()).toEqual([]);
  });

  it('is that of the proxy for an entry without an address, which is logged once', async () => {
    const { seen, warnings } = await openWith(true);
    const long = '1'.repeat(9_000);
    for (const value of [
      'unknown',
      '_hidden',
      '0x7f.1',
      '203.0.113',
      '203.0.113.9:x',
      '[203.0.113.9',
      long,
    ]) {
      expect([value, await seen(value)]).toEqual([value, proxy]);
      expect([value, await seen(`203.0.113.9, ${value}`)]).toEqual([value, proxy]);
    }
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain(`"proxy":"${proxy}"`);
  });

  it('is not changed by entries that no trusted proxy sent, which are not logged', async () => {
    const { seen, warnings } = await openWith(true);
    expect(await seen('unknown, 203.0.113.9')).toBe('203.0.113.9');
    expect(await seen(`${'x,'.repeat(4_000)}203.0.113.9`)).toBe('203.0.113.9');
    const untrusted = await openWith(false);
    expect(await untrusted.seen('unknown')).toBe(proxy);
    expect([...warnings(), ...untrusted.warnings()]).toEqual([]);
  });

  it('passes proxies that are named by address, also with their ports', async () => {
    const { seen, warnings } = await openWith(['loopback', '10.0.0.0/8']);
    expect(await seen('203.0.113.9:1, 10.0.0.2:3, [::ffff:10.0.0.1]:4')).toBe('203.0.113.9');
    expect(await seen('203.0.113.9, nobody, 10.0.0.1:4')).toBe('10.0.0.1');
    expect(warnings()).toHaveLength(1);
  });
});
