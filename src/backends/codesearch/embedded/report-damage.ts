import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Incomplete } from '../port.ts';

/** A damaged index spoils every answer until it is rebuilt; the log is told once in so many milliseconds. */
const silenceMs = 600_000;

/** Says in the log of whoever answers that an organization's answers lack something, and what mends it. */
export function damageReporter(
  log: Logger,
): (organizationId: OrganizationId, result: { readonly incomplete?: Incomplete } | undefined) => void {
  const reportedAt = new Map<OrganizationId, number>();
  return (organizationId, result) => {
    if (result?.incomplete !== 'damaged') return;
    const now = performance.now();
    if (now - (reportedAt.get(organizationId) ?? -Infinity) < silenceMs) return;
    reportedAt.set(organizationId, now);
    log.error(
      { organizationId },
      'an index is damaged; answers lack its files until a worker has built it anew',
    );
  };
}
