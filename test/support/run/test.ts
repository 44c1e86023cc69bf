import { describeSlowest, fileTimes } from './file-times.ts';
import { gates, longGates, printGate, projectRoot, runGates } from './gates.ts';
import { runVitest } from './run-vitest.ts';
import { countTests, describeFailures, exitCodeOf, isExcusable, type TestTotals } from './test-totals.ts';

/**
 * `npm test` runs every gate (including the build, which the end-to-end tests need) and every test except the long
 * ones; `npm run test:long` (first argument `--long`) runs the gates of `longGates` and the long tests. Other arguments go to vitest. The last line
 * is the total.
 */
const isLong = process.argv[2] === '--long';
const vitestArgs = process.argv.slice(isLong ? 3 : 2);
const required = process.env['CI'] === 'true' || process.env['ORGCTX_TESTS_REQUIRE'] === 'all';

const slowestCount = 30;

const gateResults = await runGates(isLong ? longGates : gates, projectRoot, printGate);
const { report, exitCode } = await runVitest([`--project=${isLong ? 'long*' : '!long*'}`, ...vitestArgs]);
const tests = countTests(report, exitCode);
const gatesFailed = gateResults.filter(({ passed }) => !passed).length;
const excused = tests.excused ?? 0;
const totals: TestTotals = {
  passed: tests.passed + gateResults.length - gatesFailed,
  failed: tests.failed + gatesFailed,
  skipped: tests.skipped,
  excused,
};

process.stdout.write(`\nThe slowest files:\n${describeSlowest(fileTimes(report), slowestCount)}`);
for (const name of tests.skippedNames.filter((skipped) => !isExcusable(skipped))) {
  process.stdout.write(
    `${required ? 'FAIL: skipped, but everything is required here' : 'skipped'}: ${name}\n`,
  );
}
if (excused > 0) {
  process.stdout.write(`skipped: ${excused} tests with a real Zoekt, which this machine lacks\n`);
}
for (const { name } of gateResults.filter(({ passed }) => !passed)) {
  process.stdout.write(`FAIL: the ${name} gate\n`);
}
for (const failure of describeFailures(report)) {
  process.stdout.write(`FAIL: ${failure}\n`);
}
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = exitCodeOf(totals, required);
