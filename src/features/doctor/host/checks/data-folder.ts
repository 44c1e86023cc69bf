import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { type CheckOutcome, fail, type Host, type HostCheck, pass, warning } from '../check.ts';

/** Reading and entering for others than the owner. */
const othersMask = 0o077;

export const dataFolderCheck: HostCheck = {
  id: 'data-folder',
  title: 'Data folder',
  async run({ config }) {
    const { dataDir } = config;
    const fault = await faultOf(dataDir);
    if (fault !== undefined) return fault;
    const open = await openToOthers(config);
    if (open.length === 0) return pass(`${dataDir} belongs to this account alone.`, { path: dataDir });
    return warning(
      `Other accounts of this host can reach ${open.join(', ')}.`,
      `Close it: chmod -R go-rwx "${dataDir}".`,
      { path: dataDir },
    );
  },
};

async function faultOf(dataDir: string): Promise<CheckOutcome | undefined> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT';
    return fail(
      missing ? `${dataDir} is not there.` : `${dataDir} cannot be read and written by this account.`,
      missing
        ? 'Run "orgctx quickstart" or "orgctx serve" to make it, or correct DATA_DIR.'
        : 'Run orgctx as the account that owns it, or correct its rights.',
      { path: dataDir },
    );
  }
  const { uid } = await stat(dataDir);
  const own = process.getuid?.();
  if (own === undefined || uid === own) return undefined;
  return warning(
    `${dataDir} belongs to another account than the one that looks.`,
    'Run orgctx always as the account that owns it: files of two accounts shut each other out.',
    { path: dataDir, owner: uid, account: own },
  );
}

/** What holds secrets or the truth. Windows has no such rights; there every file looks open. */
async function openToOthers({ dataDir, database }: Host['config']): Promise<readonly string[]> {
  if (process.platform === 'win32') return [];
  const { authSecret, ssh, repositories, codesearch, derivedDatabase, logs } = dataFolder(dataDir);
  const files = database.dialect === 'sqlite' ? [database.file, derivedDatabase] : [];
  const paths = [dataDir, ...files, authSecret, ssh.identity, repositories, codesearch, logs];
  // Below a folder that is closed, nothing can be reached, however open it is.
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
