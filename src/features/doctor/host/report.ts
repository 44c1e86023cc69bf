import type { CheckOutcome } from './check.ts';

/** The report of `orgctx doctor` on this host. Any version may add a check; the meaning of a name never changes. */
export interface HostReport {
  readonly schemaVersion: 1;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly checks: readonly CheckResult[];
}

export interface CheckResult extends CheckOutcome {
  readonly id: string;
  readonly title: string;
}

/** Creates the report. One failed check makes its status `failed`, otherwise one warning makes it `warning`. */
export function reportOf(checks: readonly CheckResult[]): HostReport {
  const has = (status: CheckResult['status']): boolean => checks.some((check) => check.status === status);
  return { schemaVersion: 1, status: has('fail') ? 'failed' : has('warning') ? 'warning' : 'ok', checks };
}
