import type { HostReport } from '../../../features/doctor/host/report.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';

/** The report of the checks of this host, for the system page. */
export interface HostChecks {
  latest(): Promise<CheckedHost>;
}

export interface CheckedHost {
  readonly report: HostReport;
  /** Time of the checks, in milliseconds since the epoch. */
  readonly at: number;
}

/** Time that a report is shown before the checks run again, in milliseconds: they start processes and read disks. */
const maxAgeMs = 15_000;

/** Time limit of all checks, in milliseconds. */
const timeoutMs = 20_000;

/** Runs the checks at most once at a time, and shares their report for a short while. */
export function sharedHostChecks(
  run: (signal: AbortSignal) => Promise<HostReport>,
  clock: Clock,
): HostChecks {
  let last: { readonly at: number; readonly checked: Promise<CheckedHost> } | undefined;
  return {
    latest() {
      if (last !== undefined && clock() - last.at < maxAgeMs) return last.checked;
      const at = clock();
      const checked = run(AbortSignal.timeout(timeoutMs)).then((report) => ({ report, at }));
      const started = { at, checked };
      last = started;
      checked.catch(() => {
        if (last === started) last = undefined;
      });
      return checked;
    },
  };
}
