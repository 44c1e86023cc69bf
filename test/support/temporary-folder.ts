import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;

/** A fresh folder, removed at the end of the test file (`remove-temporary-folders.ts`) or program that asks for it. */
export function temporaryFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'orgctx-test-'));
  return mkdtempSync(join(root, 'folder-'));
}

export function removeTemporaryFolders(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  root = undefined;
}

// The test runner ends its processes by force: `exit` is only for programs outside it (test/bench).
if (process.env['VITEST'] !== 'true') process.once('exit', removeTemporaryFolders);
