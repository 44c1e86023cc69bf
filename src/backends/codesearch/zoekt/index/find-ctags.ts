import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../../../../foundation/git/environment.ts';

const run = promisify(execFile);
const names = ['universal-ctags', 'ctags-universal', 'ctags'];

/**
 * The universal-ctags of this host, which Zoekt takes symbols from; `undefined` without one. Zoekt itself looks for the
 * first name alone, and systems give it others.
 */
export async function findCtags(): Promise<string | undefined> {
  const env = gitEnvironment();
  for (const folder of (env['PATH'] ?? '').split(':')) {
    for (const name of names) {
      const program = join(folder, name);
      const said = await run(program, ['--version'], { env, timeout: 5000 }).catch(() => undefined);
      if (said?.stdout.startsWith('Universal Ctags') === true) return program;
    }
  }
  return undefined;
}
