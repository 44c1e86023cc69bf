import ipaddr from 'ipaddr.js';

/** A public number that yet leads inside: Azure's host agent, reachable from every virtual machine there. */
const hostAgent = '168.63.129.16';

/**
 * All that IANA has given out for the public Internet; what lies outside is mapped, translated, local or unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether `address` (an IPv4 or IPv6 literal in standard notation) is public unicast. IPv4 inside IPv6 in any form
 * (mapped, compatible, NAT64, 6to4, Teredo) is not: nothing of value is served there alone.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.zoneId === undefined && parsed.match(globalUnicast);
  return parsed.toString() !== hostAgent;
}
