import ipaddr from 'ipaddr.js';

/** What one sender has of addresses: one of IPv4, a /64 of IPv6. Anything else stands for itself. */
export function senderNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
