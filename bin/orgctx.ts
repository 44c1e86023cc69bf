#!/usr/bin/env node
// This file also runs on the Node versions that it refuses: nothing newer than ES2020 but the top-level
// await, no static import of the program.
import { nodeFault } from './node-fault.ts';

/** Not configured (contract, section 1). */
const exitNotConfigured = 3;

const fault = nodeFault(process.versions.node);
if (fault === undefined) {
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  process.stderr.write(fault);
  process.exitCode = exitNotConfigured;
}
