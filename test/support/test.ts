import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gates, printGate, projectRoot, runGates, toolEnvironment } from './gates.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { countTests, exitCodeOf, isExcusable, readVitestReport, type TestTotals } from './test-totals.ts';

// `npm test`: every gate (the build among them, which the end-to-end tests start), then every test. The last line is
// the total of both.

const required = process.env['CI'] === 'true' || process.env['ORGCTX_TESTS_REQUIRE'] === 'all';

const gateResults = await runGates(gates, projectRoot, printGate);
const tests = await runTests();
const gatesFailed = gateResults.filter(({ passed }) => !passed).length;
const totals: TestTotals = {
  passed: tests.passed + gateResults.length - gatesFailed,
  failed: tests.failed + gatesFailed,
  skipped: tests.skipped,
  excused: tests.excused ?? 0,
};

for (const name of tests.skippedNames) {
  process.stdout.write(
    `${required && !isExcusable(name) ? 'FAIL: skipped, but everything is required here' : 'skipped'}: ${name}\n`,
  );
}
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = exitCodeOf(totals, required);

async function runTests() {
  const file = join(temporaryFolder(), 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn('vitest', [...args, ...process.argv.slice(2)], {
    cwd: projectRoot,
    env: toolEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(child, 'exit');
  // Without a report the runner did not even start: nothing passed, and that is a failure.
  const report = existsSync(file) ? readVitestReport(readFileSync(file, 'utf8')) : { testResults: [] };
  return countTests(report, child.exitCode);
}
