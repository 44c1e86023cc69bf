import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Makes each Git process that reads a repository wait until it is killed: its configuration is a pipe without a writer. */
export function blockGit(gitDir: string): void {
  const config = join(gitDir, 'config');
  rmSync(config);
  execFileSync('mkfifo', [config]);
}
