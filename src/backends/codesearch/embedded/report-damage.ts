import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Incomplete } from '../port.ts';

/**
 * Interval between two log messages for one organization, in milliseconds. Every result is affected until the index
 * is rebuilt.
 */
const intervalMs = 600_000;

/** Logs that results of an organization are incomplete because of a damaged index. */
export function damageReporter(
  log: Logger,
): (organizationId: OrganizationId, result: { readonly incomplete?: Incomplete } | undefined) => void {
  const reportedAt = new Map<OrganizationId, number>();
  return (organizationId, result) => {
    if (result?.incomplete !== 'damaged') return;
    const now = performance.now();
    if (now - (reportedAt.get(organizationId) ?? -Infinity) < intervalMs) return;
    reportedAt.set(organizationId, now);
    log.error(
      { organizationId },
      'an index is damaged; results lack its files until a worker has rebuilt it',
    );
  };
}
