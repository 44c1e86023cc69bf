import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';
import { NotConfigured } from './config-error.ts';

/** Creates the data folder for this account only, unless it exists. @throws NotConfigured that says why it cannot be */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
  } catch (cause) {
    const reason = reasons[errorCode(cause) ?? ''] ?? 'the file system refuses it';
    throw new NotConfigured(
      `The data folder ${dataDir} cannot be created: ${reason}. Choose another one with --data-dir (DATA_DIR).`,
      { cause },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'this file system takes no folders there',
  ENOSPC: 'the disk is full',
};

/** Creates a folder and its parents. The recursive `mkdir` of Node never ends below /proc, which answers ENOENT. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    makeFolder(parent);
    makeFolder(path);
  }
}
