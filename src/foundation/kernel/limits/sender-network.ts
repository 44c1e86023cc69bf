import ipaddr from 'ipaddr.js';

/** Returns the network of one sender: an IPv4 address, or a /64 of IPv6. Any other text is returned unchanged. */
export function senderNetwork(address: string): string {
  return senderNetworks(address)[0].name;
}

/** A network that may belong to a single sender. */
export interface SenderNetwork {
  readonly name: string;
  /** Multiple of one sender's limit that the network may use, since a large one may also hold several senders. */
  readonly share: number;
}

/**
 * Returns the networks to which an address is counted, smallest first. One customer may have a /56 or a /48 of IPv6,
 * which contains 65,536 networks of /64.
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
