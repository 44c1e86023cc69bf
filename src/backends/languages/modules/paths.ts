import { posix } from 'node:path';

/** Returns the folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** Returns a path below a folder, both of the repository; empty for the root. */
export function joinPath(folder: string, path: string): string {
  const joined = posix.join(folder, path).replace(/\/$/, '');
  return joined === '.' ? '' : joined;
}

export function ancestor(folder: string, levels: number): string {
  let at = folder;
  for (let level = 0; level < levels; level++) at = folderOf(at);
  return at;
}

/** Yields the folder of a path and those around it, from the innermost to the root. */
export function* foldersAround(path: string): Generator<string, void> {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    yield folder;
    if (folder === '') return;
  }
}

/** Maximum number of parts of a module that are looked at. */
const maxParts = 20;

/** Returns the beginnings of a name of parts, the longest first. */
export function beginnings(parts: readonly string[], joint: string): readonly string[] {
  const first = parts.slice(0, maxParts);
  return first.map((_, index) => first.slice(0, first.length - index).join(joint));
}

/** Returns a name in lower case with dashes between its words. */
export function dashed(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
