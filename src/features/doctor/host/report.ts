import type { CheckOutcome } from './check.ts';

/** What `orgctx doctor` finds on this host. A check may be added in any version; a name never changes its meaning. */
export interface HostReport {
  readonly schemaVersion: 1;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly checks: readonly CheckResult[];
}

export interface CheckResult extends CheckOutcome {
  readonly id: string;
  readonly title: string;
}

/** One failure fails the whole, a warning anywhere is kept. */
export function reportOf(checks: readonly CheckResult[]): HostReport {
  const has = (status: CheckResult['status']): boolean => checks.some((check) => check.status === status);
  return { schemaVersion: 1, status: has('fail') ? 'failed' : has('warning') ? 'warning' : 'ok', checks };
}
