import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { bareHost } from './allow-hosts.ts';
import { RefusedDestination } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Every address of a host name; rejects with the resolver's error (`code: 'ENOTFOUND'`) when there is none. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

export const lookupWithSystem: Lookup = async (host) =>
  (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/**
 * The addresses of a host that data named, all of them public. Connect to these and to nothing else: a second look-up
 * may answer differently (DNS rebinding). One private address among several refuses the host.
 * @throws RefusedDestination, and whatever `lookup` throws.
 */
export async function resolveForTenant(
  hostname: string,
  lookup: Lookup = lookupWithSystem,
): Promise<readonly ResolvedAddress[]> {
  const refused = refusalOfName(hostname);
  if (refused !== undefined) throw refused;
  const host = bareHost(hostname);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
  const addresses = await lookup(host);
  const inside = addresses.filter(({ address }) => !isPublicAddress(address));
  if (inside.length > 0 || addresses.length === 0) throw refusal(host, inside);
  return addresses;
}

/** Names that never leave a host or a site (RFC 6761, RFC 6762, RFC 8375, ICANN's `.internal`). */
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

/** What can be refused without asking a resolver: private literals, local names, names without a dot. */
export function refusalOfName(hostname: string): RefusedDestination | undefined {
  const host = bareHost(hostname);
  const fine = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
  return fine ? undefined : refusal(host, []);
}

function isPublicName(host: string): boolean {
  const local = privateSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  return !local && host.includes('.') && /^[\w.-]+$/.test(host);
}

/** The addresses stay in the log: they would tell a tenant about the operator's network. */
function refusal(host: string, inside: readonly ResolvedAddress[]): RefusedDestination {
  return new RefusedDestination(
    `${host} is not a public host. Use a public address, or have the operator name the host in OUTBOUND_ALLOW_HOSTS.`,
    { detail: { addresses: inside.map(({ address }) => address) } },
  );
}
