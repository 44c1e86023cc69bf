import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '../../../../foundation/git/process/environment.ts';

const run = promisify(execFile);
const names = ['universal-ctags', 'ctags-universal', 'ctags'];

/**
 * Finds universal-ctags on this host, from which Zoekt gets symbols; `undefined` if there is none. Zoekt itself only
 * looks for the first name, and some systems use the others.
 */
export async function findCtags(): Promise<string | undefined> {
  const env = gitEnvironment();
  for (const folder of (env['PATH'] ?? '').split(':')) {
    for (const name of names) {
      const program = join(folder, name);
      const version = await run(program, ['--version'], { env, timeout: 5000 }).catch(() => undefined);
      if (version?.stdout.startsWith('Universal Ctags') === true) return program;
    }
  }
  return undefined;
}
