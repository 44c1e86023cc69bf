import { describe, expect, it } from 'vitest';
import type { HostReport } from '../../../features/doctor/host/report.ts';
import { sharedHostChecks } from './host-checks.ts';

const report: HostReport = { schemaVersion: 1, status: 'ok', checks: [] };

describe('the checks of the system page', () => {
  it('run once for everybody, and again when their report is old', async () => {
    let [runs, now] = [0, 1_000];
    const checks = sharedHostChecks(
      async () => {
        runs += 1;
        return report;
      },
      () => now,
    );
    const [first, second] = await Promise.all([checks.latest(), checks.latest()]);
    expect([runs, first, second]).toEqual([1, { report, at: 1_000 }, { report, at: 1_000 }]);
    now += 60_000;
    expect([(await checks.latest()).at, runs]).toEqual([61_000, 2]);
  });

  it('run again after an error', async () => {
    let runs = 0;
    const checks = sharedHostChecks(
      async () => {
        runs += 1;
        if (runs === 1) throw new Error('timed out');
        return report;
      },
      () => 0,
    );
    await expect(checks.latest()).rejects.toThrow('timed out');
    expect((await checks.latest()).report).toBe(report);
  });
});
