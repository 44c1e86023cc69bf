import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;

/** Creates a folder that is removed at the end of the test file (`remove-temporary-folders.ts`) or of the program. */
export function temporaryFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'orgctx-test-'));
  return mkdtempSync(join(root, 'folder-'));
}

export function removeTemporaryFolders(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  root = undefined;
}

// The test runner kills its processes, so `exit` is only for programs outside it (test/bench).
if (process.env['VITEST'] !== 'true') process.once('exit', removeTemporaryFolders);
