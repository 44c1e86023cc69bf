import ipaddr from 'ipaddr.js';

/** A public address that is internal: Azure's host agent, reachable from every virtual machine there. */
const hostAgent = '168.63.129.16';

/**
 * The range that IANA assigned to the public Internet. Addresses outside are mapped, translated, local or unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether `address` (an IPv4 or IPv6 literal in standard notation) is public unicast. IPv4 embedded in IPv6
 * in any form (mapped, compatible, NAT64, 6to4, Teredo) is not public: no useful service is reachable only that way.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.zoneId === undefined && parsed.match(globalUnicast);
  return parsed.toString() !== hostAgent;
}
