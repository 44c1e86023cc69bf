import type { HttpClient } from '../../../foundation/net/http.ts';
import { checkAuthorizationServer } from './checks/authorization-server.ts';
import { checkBackendStatus } from './checks/backend-status.ts';
import { checkOauthChallenge } from './checks/oauth-challenge.ts';
import { checkProtectedResource } from './checks/protected-resource.ts';
import { checkTarget } from './checks/target.ts';
import { printableTarget } from './printable-target.ts';
import type { Probe } from './probe.ts';
import {
  type CheckId,
  type CheckOutcome,
  type CheckResult,
  type DoctorReport,
  overallStatus,
  skipped,
} from './report.ts';

export interface DoctorOptions {
  readonly http: HttpClient;
  readonly target: URL;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Time-out of each request, in milliseconds; a healthy instance responds in a few. Default: 10,000. */
  readonly timeoutMs?: number;
}

const titles: Readonly<Record<CheckId, string>> = {
  target: 'Target',
  'backend-status': 'Backend status',
  'oauth-challenge': 'OAuth challenge',
  'protected-resource': 'Protected resource',
  'authorization-server': 'Authorization server',
};

/**
 * Runs the specification's five checks in order, over plain HTTP and without credentials. A check whose input is
 * missing is skipped, so that one error is reported once.
 */
export async function runChecks(options: DoctorOptions): Promise<DoctorReport> {
  const { target, now } = options;
  const started = now();
  const checks = await outcomes({ timeoutMs: 10_000, ...options });
  return {
    schemaVersion: 1,
    status: overallStatus(checks),
    url: printableTarget(target),
    startedAt: new Date(started).toISOString(),
    durationMs: now() - started,
    checks,
  };
}

async function outcomes(probe: Probe): Promise<readonly CheckResult[]> {
  const target = checkTarget(probe.target);
  if (target.status === 'fail') return withSkipped([resultOf('target', target)], 'The target is wrong.');

  const backend = await checkBackendStatus(probe);
  const first = [resultOf('target', target), resultOf('backend-status', backend)];
  if (backend.evidence?.['reason'] !== undefined) return withSkipped(first, 'The backend did not answer.');

  const challenge = resultOf('oauth-challenge', await checkOauthChallenge(probe));
  const resource = await checkProtectedResource(probe);
  return [
    ...first,
    challenge,
    resultOf('protected-resource', resource.outcome),
    resultOf(
      'authorization-server',
      resource.authorizationServer === undefined
        ? skipped('No authorization server is known.')
        : await checkAuthorizationServer(probe, resource.authorizationServer),
    ),
  ];
}

function resultOf(id: CheckId, outcome: CheckOutcome): CheckResult {
  return { id, title: titles[id], ...outcome };
}

function withSkipped(done: readonly CheckResult[], why: string): readonly CheckResult[] {
  const left = (Object.keys(titles) as CheckId[]).slice(done.length);
  return [...done, ...left.map((id) => resultOf(id, skipped(why)))];
}
