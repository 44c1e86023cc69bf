import ipaddr from 'ipaddr.js';

/** What one sender has of addresses: one of IPv4, a /64 of IPv6. Anything else stands for itself. */
export function senderNetwork(address: string): string {
  return senderNetworks(address)[0].name;
}

/** A network that a sender may have all of. */
export interface SenderNetwork {
  readonly name: string;
  /** How many times the limit of one sender it may use up: there are others in a large one. */
  readonly share: number;
}

/**
 * The networks that an address is counted in, the smallest first. One customer may be given a /56 or a /48 of IPv6, which
 * holds 65,536 of /64.
 */
export function senderNetworks(address: string): readonly [SenderNetwork, ...SenderNetwork[]] {
  if (!ipaddr.isValid(address)) return [{ name: address, share: 1 }];
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return [{ name: parsed.toString(), share: 1 }];
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  return [
    { name: [a, b, c, d].join(':'), share: 1 },
    { name: `${[a, b, c, d & 0xff00].join(':')}/56`, share: 2 },
    { name: `${[a, b, c].join(':')}/48`, share: 4 },
  ];
}
