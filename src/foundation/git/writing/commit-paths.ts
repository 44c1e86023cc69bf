import type { InvalidInput } from '../../kernel/errors.ts';
import { invalidField } from '../../kernel/wire/invalid-field.ts';
import { writablePathError } from './writable-path.ts';

export interface CommitLimits {
  /** Maximum number of files, written and deleted. */
  readonly maxFiles: number;
  /** Maximum total size of all contents. */
  readonly maxBytes: number;
}

export interface CommitPaths {
  /** Checks and records one change. @throws InvalidInput */
  take(path: string, content: Uint8Array | null): void;
  /** Returns the files to delete that were not written again later. */
  deleted(): readonly string[];
}

/** Creates a checker for the paths of one commit. Each is checked before any of it is written. */
export function commitPaths(roots: readonly string[], limits: CommitLimits): CommitPaths {
  const count = countWithin(limits);
  const written = writtenFiles();
  const deleted = new Set<string>();
  return {
    take(path, content) {
      const error = writablePathError(path, roots);
      if (error !== undefined) throw refused('path', `The path ${quoted(path)} ${error}`);
      count(content?.length ?? 0);
      if (content === null) {
        written.remove(path);
        deleted.add(path);
      } else {
        deleted.delete(path);
        written.add(path);
      }
    },
    deleted: () => [...deleted],
  };
}

function countWithin({ maxFiles, maxBytes }: CommitLimits): (bytes: number) => void {
  let [taken, total] = [0, 0];
  return (bytes) => {
    taken += 1;
    total += bytes;
    if (taken > maxFiles || total > maxBytes) {
      throw refused('changes', `A commit may contain at most ${maxFiles} files and ${maxBytes} bytes.`);
    }
  };
}

/**
 * Tracks written files. Paths that differ only in case are the same file on many file systems, where one would hide
 * the other.
 */
function writtenFiles(): { add(path: string): void; remove(path: string): void } {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  return {
    add(path) {
      const key = path.toLowerCase();
      const above = foldersOf(key);
      if (folders.has(key) || above.some((folder) => files.has(folder))) {
        throw refused('path', `The path ${quoted(path)} is both a file and a folder in the same commit.`);
      }
      const present = files.get(key) ?? path;
      if (present !== path) {
        const both = `${quoted(present)} and ${quoted(path)}`;
        throw refused('path', `The paths ${both} differ only in case in the same commit.`);
      }
      files.set(key, path);
      for (const folder of above) folders.add(folder);
    },
    remove(path) {
      const key = path.toLowerCase();
      if (files.get(key) === path) files.delete(key);
    },
  };
}

function foldersOf(path: string): readonly string[] {
  const folders = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}

function refused(field: string, message: string): InvalidInput {
  return invalidField(field, message, message);
}

function quoted(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
