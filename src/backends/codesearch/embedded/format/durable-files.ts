import { closeSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';

/** Writes a file and forces its bytes to disk. Its name is durable once the folder is synced. */
export function writeDurably(file: string, bytes: Uint8Array): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file atomically: write, fsync, rename, fsync of the folder. After a crash the file is either the
 * previous or the new one.
 */
export function replaceDurably(file: string, bytes: Uint8Array): void {
  const temporary = `${file}.tmp`;
  writeDurably(temporary, bytes);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** Makes renames and deletions in `folder` durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns a value that changes when the file is replaced, without reading it; `undefined` if the file does not exist.
 */
export function fileVersion(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino}.${stat.mtimeNs}.${stat.size}`;
}

/** Opens a file for reading; `undefined` if it does not exist. */
export function openIfPresent(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
