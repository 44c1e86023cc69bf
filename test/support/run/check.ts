import { execFileSync, spawnSync } from 'node:child_process';
import { type Gate, gates, printGate, projectRoot, runGates, summaryOf } from './gates.ts';

/**
 * `npm run check`, the fast check: runs every gate, and the unit tests that depend on a file changed since the last
 * commit (or in the last commit if nothing is changed). `npm test` also runs the other tests.
 */
const changed = execFileSync('git', ['status', '--porcelain'], { cwd: projectRoot, encoding: 'utf8' });
const since = changed === '' && hasParent() ? 'HEAD~1' : 'HEAD';
const unitTests: Gate = {
  name: 'unit',
  command: [
    'vitest',
    'run',
    '--project=unit',
    '--project=own-process',
    `--changed=${since}`,
    '--passWithNoTests',
    // Prints the failures only.
    '--reporter=dot',
    '--silent=passed-only',
  ],
};

const results = await runGates([unitTests, ...gates], projectRoot, printGate);
process.stdout.write(`${summaryOf(results)}\n`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

/** False in a shallow clone of one commit. */
function hasParent(): boolean {
  return spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD~1'], { cwd: projectRoot }).status === 0;
}
