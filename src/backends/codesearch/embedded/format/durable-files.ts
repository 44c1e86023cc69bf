import { closeSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';

/** The bytes are on disk when this returns; the name of the file is once its folder is synced. */
export function writeDurably(file: string, bytes: Uint8Array): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Puts `bytes` in place: file, fsync, rename, fsync of the folder. A crash leaves the former file or the new one. */
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

/** What tells a replaced file from the next without reading it; `undefined` when there is none. */
export function fileVersion(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino}.${stat.mtimeNs}.${stat.size}`;
}

export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
