import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bareHost } from './allow-hosts.ts';
import { RefusedDestination } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves every address of a host name. Rejects with the resolver's error (`code: 'ENOTFOUND'`) if there is none. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

export const lookupWithSystem: Lookup = async (host) =>
  (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/**
 * Resolves a host from tenant data to its addresses, which are all public. Connect only to these: a second look-up
 * may return others (DNS rebinding). One private address among several refuses the host.
 * @throws RefusedDestination, and any error of `lookup`.
 */
export async function resolveForTenant(
  hostname: string,
  lookup: Lookup = lookupWithSystem,
): Promise<readonly ResolvedAddress[]> {
  const refused = hostNameRefusal(hostname);
  if (refused !== undefined) throw refused;
  const host = bareHost(hostname);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
  const addresses = await lookup(host);
  const privateAddresses = addresses.filter(({ address }) => !isPublicAddress(address));
  if (privateAddresses.length > 0 || addresses.length === 0) throw refusal(host, privateAddresses);
  return addresses;
}

/** Time limit of a look-up whose result only a proxy uses, in milliseconds. Behind a firewall, DNS may not respond. */
const lookupMs = 2_000;

/**
 * Refuses a host from tenant data that a proxy will resolve if it is not public here. A name that does not resolve
 * here is left to the proxy.
 * @throws RefusedDestination
 */
export async function refusePrivate(hostname: string, lookup: Lookup = lookupWithSystem): Promise<void> {
  const done = new AbortController();
  const limit = sleep(lookupMs, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race([resolveForTenant(hostname, lookup), limit]);
  } catch (error) {
    if (error instanceof RefusedDestination) throw error;
  } finally {
    done.abort();
  }
}

/** Suffixes of names that are local to a host or a site (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
const privateSuffixes = [
  'localhost',
  'local',
  'internal',
  'localdomain',
  'home.arpa',
  'lan',
  'intranet',
  'corp',
];

/**
 * Returns an error for hosts that are refused without a resolver: private literals, local names, names without a dot.
 */
export function hostNameRefusal(hostname: string): RefusedDestination | undefined {
  const host = bareHost(hostname);
  const isPublic = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
  return isPublic ? undefined : refusal(host, []);
}

function isPublicName(host: string): boolean {
  const local = privateSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  return !local && host.includes('.') && /^[\w.-]+$/.test(host);
}

/** Returns the error. The addresses are only logged, because they would reveal the operator's network to a tenant. */
function refusal(host: string, privateAddresses: readonly ResolvedAddress[]): RefusedDestination {
  return new RefusedDestination(
    `${host} is not a public host. Use a public address, or have the operator name the host in OUTBOUND_ALLOW_HOSTS.`,
    { detail: { addresses: privateAddresses.map(({ address }) => address) } },
  );
}
