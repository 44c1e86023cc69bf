import { describe, expect, it } from 'vitest';
import { countTests, exitCodeOf, readVitestReport } from '../support/run/test-totals.ts';

type File = { readonly status?: string; readonly tests: readonly string[] };

function reportOf(...files: readonly File[]) {
  const testResults = files.map(({ status = 'passed', tests }, n) => ({
    name: `/file-${n}.test.ts`,
    status,
    startTime: 0,
    endTime: 1_000 * (n + 1),
    assertionResults: tests.map((outcome, m) => ({ fullName: `test ${n}.${m}`, status: outcome })),
  }));
  return readVitestReport(JSON.stringify({ testResults }));
}

describe('the totals of a test run', () => {
  it('counts passed, failed and skipped tests and names the skipped ones', () => {
    const report = reportOf({ status: 'failed', tests: ['passed', 'failed', 'skipped', 'pending', 'todo'] });
    expect(countTests(report, 1)).toEqual({
      passed: 1,
      failed: 1,
      skipped: 3,
      excused: 0,
      skippedNames: ['test 0.2', 'test 0.3', 'test 0.4'],
    });
  });

  it('counts a file that did not load as one failure', () => {
    const report = reportOf({ tests: ['passed'] }, { status: 'failed', tests: [] });
    expect(countTests(report, 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('counts a failed runner whose tests all passed as one failure', () => {
    expect(countTests(reportOf({ tests: ['passed'] }), 1)).toMatchObject({ passed: 1, failed: 1 });
    expect(countTests(reportOf({ tests: ['passed'] }), null)).toMatchObject({ failed: 1 });
  });

  it('counts a run without tests as one failure', () => {
    expect(countTests(reportOf(), 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('counts a run without failures', () => {
    expect(countTests(reportOf({ tests: ['passed', 'passed'] }), 0)).toMatchObject({ passed: 2, failed: 0 });
  });
});

describe('the exit code of a test run', () => {
  it('is 0 when all passed, and when some were skipped where not everything is required', () => {
    expect(exitCodeOf({ passed: 3, failed: 0, skipped: 0 }, true)).toBe(0);
    expect(exitCodeOf({ passed: 3, failed: 0, skipped: 1 }, false)).toBe(0);
  });

  it('is 1 when one failed, when nothing ran, and when one was skipped where everything is required', () => {
    expect(exitCodeOf({ passed: 3, failed: 1, skipped: 0 }, false)).toBe(1);
    expect(exitCodeOf({ passed: 0, failed: 0, skipped: 0 }, false)).toBe(1);
    expect(exitCodeOf({ passed: 3, failed: 0, skipped: 1 }, true)).toBe(1);
  });

  it('is 0 where everything is required and only Zoekt tests were skipped, because not every machine can fetch Zoekt', () => {
    const report = readVitestReport(
      JSON.stringify({
        testResults: [
          {
            name: '/zoekt.test.ts',
            status: 'passed',
            startTime: 0,
            endTime: 1,
            assertionResults: [
              { fullName: 'with a real Zoekt searches', status: 'skipped' },
              { fullName: 'searches', status: 'passed' },
            ],
          },
        ],
      }),
    );
    expect(exitCodeOf(countTests(report, 0), true)).toBe(0);
    expect(exitCodeOf({ passed: 3, failed: 0, skipped: 2, excused: 1 }, true)).toBe(1);
  });
});
