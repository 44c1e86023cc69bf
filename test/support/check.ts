import { type Gate, gates, printGate, projectRoot, runGates } from './gates.ts';

// The fast inner loop, `npm run check`: every gate and the unit tests. `npm test` runs the other tests too.

const unitTests: Gate = { name: 'unit', command: ['vitest', 'run', '--project', 'unit'] };

const results = await runGates([unitTests, ...gates], projectRoot, printGate);
const failed = results.filter(({ passed }) => !passed);
process.stdout.write(`${results.length - failed.length} gates passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
