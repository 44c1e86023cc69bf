/** The report of `orgctx doctor mcp` (specification, "Diagnostic command"; shape: contract section 1). */
export interface DoctorReport {
  readonly schemaVersion: 1;
  readonly status: OverallStatus;
  /** The target without userinfo and without the value of any token. */
  readonly url: string;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly checks: readonly CheckResult[];
}

export type OverallStatus = 'ready-for-oauth' | 'warning' | 'failed';

export type CheckId =
  | 'target'
  | 'backend-status'
  | 'oauth-challenge'
  | 'protected-resource'
  | 'authorization-server';

export interface CheckResult extends CheckOutcome {
  readonly id: CheckId;
  readonly title: string;
}

export interface CheckOutcome {
  readonly status: 'pass' | 'warning' | 'fail' | 'skipped';
  /** The observation. */
  readonly message: string;
  /** The next step for the operator. */
  readonly hint?: string;
  /** The facts behind the outcome: statuses, headers, addresses. Never a token. */
  readonly evidence?: Readonly<Record<string, string | number | boolean | null>>;
}

export type Evidence = NonNullable<CheckOutcome['evidence']>;

export function pass(message: string, evidence: Evidence = {}): CheckOutcome {
  return { status: 'pass', message, evidence };
}

export function warning(message: string, hint: string, evidence: Evidence = {}): CheckOutcome {
  return { status: 'warning', message, hint, evidence };
}

export function fail(message: string, hint: string, evidence: Evidence = {}): CheckOutcome {
  return { status: 'fail', message, hint, evidence };
}

export function skipped(message: string): CheckOutcome {
  return { status: 'skipped', message };
}

/**
 * Returns `failed` if a check failed, else `warning` if a check warned. A check is skipped only after another has
 * failed.
 */
export function overallStatus(checks: readonly CheckResult[]): OverallStatus {
  if (checks.some((check) => check.status === 'fail')) return 'failed';
  return checks.some((check) => check.status === 'warning') ? 'warning' : 'ready-for-oauth';
}
