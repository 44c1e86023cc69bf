import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder, derivedDatabaseOf } from '../../../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { type CheckOutcome, fail, type Host, type HostCheck, pass, warning } from '../check.ts';

/** Permission bits of accounts other than the owner. */
const othersMask = 0o077;

export const dataFolderCheck: HostCheck = {
  id: 'data-folder',
  title: 'Data folder',
  async run({ config }) {
    const { dataDir } = config;
    const problem = await errorOf(dataDir);
    if (problem !== undefined) return problem;
    const open = await openToOthers(config);
    if (open.length === 0) return pass(`Only this account can access ${dataDir}.`, { path: dataDir });
    return warning(
      `Other accounts of this host can reach ${open.join(', ')}.`,
      `Remove their access: chmod -R go-rwx "${dataDir}".`,
      { path: dataDir },
    );
  },
};

async function errorOf(dataDir: string): Promise<CheckOutcome | undefined> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT';
    return fail(
      missing ? `${dataDir} does not exist.` : `${dataDir} cannot be read and written by this account.`,
      missing
        ? 'Run "orgctx quickstart" or "orgctx serve" to create it, or correct DATA_DIR.'
        : 'Run orgctx as the account that owns it, or correct its permissions.',
      { path: dataDir },
    );
  }
  const { uid } = await stat(dataDir);
  const own = process.getuid?.();
  if (own === undefined || uid === own) return undefined;
  return warning(
    `${dataDir} belongs to another account than the current one.`,
    'Always run orgctx as the account that owns it: one account cannot read the files of another.',
    { path: dataDir, owner: uid, account: own },
  );
}

/**
 * Returns the paths with secrets or data that other accounts can read. Empty on Windows, which has no such
 * permissions.
 */
async function openToOthers({ dataDir, database }: Host['config']): Promise<readonly string[]> {
  if (process.platform === 'win32') return [];
  const { authSecret, ssh, repositories, codesearch, logs } = dataFolder(dataDir);
  const files = database.dialect === 'sqlite' ? [database.file, derivedDatabaseOf(database.file)] : [];
  const paths = [dataDir, ...files, authSecret, ssh.identity, repositories, codesearch, logs];
  // Nothing below a closed folder can be reached, whatever its own permissions are.
  if ((await modeOf(dataDir)) === 0o700) return outside(dataDir, files);
  const modes = await Promise.all(paths.map(modeOf));
  return paths.filter((_path, at) => ((modes[at] ?? 0) & othersMask) !== 0);
}

async function outside(dataDir: string, files: readonly string[]): Promise<readonly string[]> {
  const open: string[] = [];
  for (const file of files) {
    if (!file.startsWith(join(dataDir, '/')) && ((await modeOf(file)) & othersMask) !== 0) open.push(file);
  }
  return open;
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
