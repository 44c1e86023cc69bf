import { z } from 'zod';

export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Number of skipped tests that may be skipped even where everything is required. */
  readonly excused?: number;
}

/**
 * Returns whether a test may be skipped: suites with a program that not every machine can fetch, which print a warning
 * (`zoekt.ts`). No other test may have such a name.
 */
export function isExcusable(fullName: string): boolean {
  return fullName.startsWith('with a real Zoekt ');
}

/** The used fields of vitest's JSON report. */
const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      /** The error of a file that did not load. */
      message: z.string().optional(),
      /** Milliseconds since 1970. */
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

export type VitestReport = z.infer<typeof VitestReport>;

export function readVitestReport(json: string): VitestReport {
  return VitestReport.parse(JSON.parse(json));
}

/**
 * Counts the results of a run. A file that failed without a failed test (it did not load, or a hook threw) counts as
 * one failure. So does a runner that failed although every test passed (an unhandled rejection) or that ran no tests.
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

/**
 * Returns one line for each failed test, and for each file that failed without one, with the start of its error. A
 * random test has a second line, which says how to repeat it.
 */
export function describeFailures({ testResults }: VitestReport): readonly string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      if (failed.length === 0) return [`${name}: ${startOfError(message)}`];
      return failed.map(({ fullName, failureMessages }) => {
        const seed = failureMessages?.find((one) => one.startsWith('Seed '));
        const line = `${name} > ${fullName}: ${startOfError(failureMessages?.[0])}`;
        return seed === undefined ? line : `${line}\n${seed}`;
      });
    });
}

const maxErrorStart = 300;

function startOfError(message = ''): string {
  return message.replaceAll(/\s+/gu, ' ').slice(0, maxErrorStart);
}

/**
 * Returns the exit code. With `everythingRequired` (continuous integration), a skipped test that is not excused fails.
 */
export function exitCodeOf(
  { passed, failed, skipped, excused = 0 }: TestTotals,
  everythingRequired: boolean,
): 0 | 1 {
  return failed > 0 || passed === 0 || (everythingRequired && skipped > excused) ? 1 : 0;
}
