import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'orgctx-test-'));
const removeAll = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 5 });

// Imported before a test file says its own hooks, this one runs after them. The runner ends its processes by force, so
// that `exit` is only for programs outside it (test/bench).
if (process.env['VITEST'] === 'true') afterAll(removeAll);
else process.once('exit', removeAll);

/** A fresh folder, removed at the end of the test file or program that asks for it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(root, 'folder-'));
}
