import { senderNetworks } from '../../../foundation/kernel/sender-network.ts';
import type { AttemptLimit } from './count-attempts.ts';

/** The limit of one sender, and those of the larger networks that the sender may have all of. */
export function networkLimits(limit: Omit<AttemptLimit, 'subject'>, address: string): AttemptLimit[] {
  return senderNetworks(address).map(({ name, share }) => ({
    ...limit,
    subject: name,
    limit: limit.limit * share,
  }));
}
