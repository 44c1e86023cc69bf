import { describe, expect, it } from 'vitest';
import { RefusedDestination } from './outbound-error.ts';
import { type Lookup, lookupWithSystem, resolveForTenant } from './resolve-public.ts';

const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const never: Lookup = async () => expect.unreachable('asked the resolver');

describe('resolveForTenant', () => {
  it('returns every address when all are public', async () => {
    const found = await resolveForTenant('example.com', answering('8.8.8.8', '2606:4700::1111'));
    expect(found.map(({ address }) => address)).toEqual(['8.8.8.8', '2606:4700::1111']);
  });

  it('refuses a host with one private address among public ones, and only logs that address', async () => {
    const found = resolveForTenant('example.com', answering('8.8.8.8', '10.0.0.7', '1.1.1.1'));
    await expect(found).rejects.toThrow(RefusedDestination);
    await expect(found).rejects.toMatchObject({
      message: expect.not.stringContaining('10.0.0.7') as string,
      detail: { addresses: ['10.0.0.7'] },
    });
  });

  it('refuses a host without addresses', async () => {
    await expect(resolveForTenant('example.com', answering())).rejects.toThrow(RefusedDestination);
  });

  it('does not resolve a literal or a local name', async () => {
    await expect(resolveForTenant('[::1]', never)).rejects.toThrow(RefusedDestination);
    await expect(resolveForTenant('localhost', never)).rejects.toThrow(RefusedDestination);
    await expect(resolveForTenant('8.8.8.8', never)).resolves.toEqual([{ address: '8.8.8.8', family: 4 }]);
  });

  it("uses the system's resolver by default, which resolves this host's own names", async () => {
    await expect(lookupWithSystem('localhost')).resolves.not.toHaveLength(0);
    await expect(lookupWithSystem('no-such-host.invalid')).rejects.toHaveProperty('code');
  });
});
