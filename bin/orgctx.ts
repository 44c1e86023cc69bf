#!/usr/bin/env node
// This file also runs on the Node versions that it refuses. It must use nothing newer than ES2020 except top-level
// await, and must not import the program statically.
import { nodeVersionError } from './node-version-error.ts';

/** The exit code for a missing prerequisite (contract, section 1). */
const exitNotConfigured = 3;

const error = nodeVersionError(process.versions.node);
if (error === undefined) {
  const program = await import('../src/cli/main.ts').catch((failure) => {
    if (failure.code !== 'ERR_MODULE_NOT_FOUND') throw failure;
    process.stderr.write(
      'error: Files of orgctx are missing. Run `npm run build`, or install orgctx again.\n',
    );
    process.exitCode = 1;
  });
  if (program !== undefined) await program.main(process.argv);
} else {
  process.stderr.write(error);
  process.exitCode = exitNotConfigured;
}
