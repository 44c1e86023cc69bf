import { senderNetworks } from '../../../foundation/kernel/limits/sender-network.ts';
import type { AttemptLimit } from './count-attempts.ts';

/**
 * Returns the limit of a sender, and proportionally higher limits of the larger networks that one sender may control.
 */
export function networkLimits(limit: Omit<AttemptLimit, 'subject'>, address: string): AttemptLimit[] {
  return senderNetworks(address).map(({ name, share }) => ({
    ...limit,
    subject: name,
    limit: limit.limit * share,
  }));
}
