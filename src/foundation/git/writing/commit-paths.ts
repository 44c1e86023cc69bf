import { InvalidInput } from '../../kernel/errors.ts';
import { writablePathFault } from './writable-path.ts';

export interface CommitLimits {
  /** Written and deleted ones. */
  readonly maxFiles: number;
  /** Of all contents together. */
  readonly maxBytes: number;
}

export interface CommitPaths {
  /** @throws InvalidInput */
  take(path: string, content: Uint8Array | null): void;
  /** Files that are to be deleted and were not written again since. */
  deleted(): readonly string[];
}

/** The paths of one commit, each checked before anything of it is written. */
export function commitPaths(roots: readonly string[], limits: CommitLimits): CommitPaths {
  const count = countWithin(limits);
  const written = writtenFiles();
  const deleted = new Set<string>();
  return {
    take(path, content) {
      const fault = writablePathFault(path, roots);
      if (fault !== undefined) throw refused('path', `The path ${shown(path)} ${fault}`);
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
      throw refused('changes', `One commit holds at most ${maxFiles} files and ${maxBytes} bytes.`);
    }
  };
}

/** Names that differ in case alone are one to the file systems of many people, and one file would hide the other. */
function writtenFiles(): { add(path: string): void; remove(path: string): void } {
  const files = new Map<string, string>();
  const folders = new Set<string>();
  return {
    add(path) {
      const key = path.toLowerCase();
      const above = foldersOf(key);
      if (folders.has(key) || above.some((folder) => files.has(folder))) {
        throw refused('path', `The path ${shown(path)} is a file and a folder in the same commit.`);
      }
      const present = files.get(key) ?? path;
      if (present !== path) {
        const both = `${shown(present)} and ${shown(path)}`;
        throw refused('path', `The paths ${both} differ in case alone in the same commit.`);
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
  return new InvalidInput(message, { errors: [{ path: field, message }] });
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
