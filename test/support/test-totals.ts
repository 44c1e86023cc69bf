import { z } from 'zod';

export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of the skipped ones: those that may be skipped even where everything is required. */
  readonly excused?: number;
}

/**
 * Suites over a program that not every place can fetch, which say so aloud instead (`zoekt.ts`). No other test may be
 * named like this.
 */
export function isExcusable(fullName: string): boolean {
  return fullName.startsWith('with a real Zoekt ');
}

/** What is read of vitest's JSON report. */
const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

export type VitestReport = z.infer<typeof VitestReport>;

export function readVitestReport(json: string): VitestReport {
  return VitestReport.parse(JSON.parse(json));
}

/**
 * Counts what a run did. A file that failed without a failed test (it did not load, or a hook threw) counts as one
 * failure, and so does a runner that ended badly although every test passed (an unhandled rejection), or ran nothing.
 */
export function countTests(
  { testResults }: VitestReport,
  exitCode: number | null,
): TestTotals & { readonly skippedNames: readonly string[] } {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failedTests = tests.filter(({ status }) => status === 'failed').length;
  const failedFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const failed = failedTests + failedFiles;
  return {
    passed,
    failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed,
    skipped: skipped.length,
    excused: skipped.filter(({ fullName }) => isExcusable(fullName)).length,
    skippedNames: skipped.map(({ fullName }) => fullName),
  };
}

/** Where `everythingRequired` (continuous integration), a test that was skipped without excuse is one that did not pass. */
export function exitCodeOf(
  { passed, failed, skipped, excused = 0 }: TestTotals,
  everythingRequired: boolean,
): 0 | 1 {
  return failed > 0 || passed === 0 || (everythingRequired && skipped > excused) ? 1 : 0;
}
