#!/usr/bin/env node
// This file also runs on the Node versions that it refuses. It must use nothing newer than ES2020 except top-level
// await, and must not import the program statically.
import { nodeVersionError } from './node-version-error.ts';

/** The exit code for a missing prerequisite (contract, section 1). */
const exitNotConfigured = 3;

const error = nodeVersionError(process.versions.node);
if (error === undefined) {
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  process.stderr.write(error);
  process.exitCode = exitNotConfigured;
}
