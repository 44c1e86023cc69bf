import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { gitDirsOf } from '../process/git-dirs.ts';

/** Maximum number of object folders. Git itself follows five alternates in a row. */
const maxObjectFolders = 16;
/** Maximum number of entries of the object folders that are examined. */
const maxEntries = 300_000;

/**
 * Returns whether Git, reading the repository at `path`, would read anything inside `folder`: directly, or through a
 * link, the `.git` file of a linked work tree, or alternates (gitrepository-layout(5)). Returns true if that cannot be
 * determined. It holds for this moment: whoever can write to the repository can add a link later.
 */
export async function readsFrom(folder: string, path: string): Promise<boolean> {
  const { gitDir, common } = await gitDirsOf(path);
  const inside = await realPath(folder);
  const objects = await objectFolders(join(await realPath(common), 'objects'));
  if (objects === undefined || [gitDir, common].some(isLossy)) return true;
  const real = await Promise.all([path, gitDir, common, ...objects].map(realPath));
  return real.some((place) => contains(inside, place)) || linksInto(inside, objects);
}

/**
 * Returns the object folders, or `undefined` if they cannot be determined: too many, written in quotes, or with a path
 * that leads to nothing, which another process may resolve (`/proc/self`).
 */
async function objectFolders(first: string): Promise<readonly string[] | undefined> {
  const found = new Set([await realPath(first)]);
  for (const place of found) {
    const text = await readFile(join(place, 'info', 'alternates'), 'utf8').catch(() => '');
    for (const line of text.split('\n').filter((entry) => entry !== '' && !entry.startsWith('#'))) {
      if (line.startsWith('"') || isLossy(line)) return undefined;
      // Versions of Git differ: a `..` leaves the target of a link before it, or the folder that contains the link.
      const places = [isAbsolute(line) ? line : `${place}/${line}`, resolve(place, line)];
      for (const real of await Promise.all(places.map(existingPath))) {
        if (real === undefined) return undefined;
        found.add(real);
      }
    }
    if (found.size > maxObjectFolders) return undefined;
  }
  return [...found];
}

/** Returns whether a link below the folders, also through another linked folder, leads into `inside` or to nothing. */
async function linksInto(inside: string, folders: readonly string[]): Promise<boolean> {
  const found = new Set(await Promise.all(folders.map(realPath)));
  let entries = 0;
  for (const place of found) {
    for await (const { name, parentPath, isLink } of entriesOf(place)) {
      entries += 1;
      if (entries > maxEntries) return true;
      if (!isLink) continue;
      if (isLossy(name)) return true;
      const target = await existingPath(join(parentPath, name));
      if (target === undefined || contains(inside, target)) return true;
      if ((await stat(target).catch(() => undefined))?.isDirectory() === true) found.add(target);
    }
  }
  return false;
}

interface FolderEntry {
  readonly name: string;
  readonly parentPath: string;
  readonly isLink: boolean;
}

/** Yields everything below a folder; nothing if it cannot be read. */
async function* entriesOf(folder: string): AsyncGenerator<FolderEntry, void> {
  const pending = [folder];
  for (let parentPath = pending.pop(); parentPath !== undefined; parentPath = pending.pop()) {
    const entries = await opendir(parentPath).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const entry of entries) {
      yield { name: entry.name, parentPath, isLink: entry.isSymbolicLink() };
      if (entry.isDirectory()) pending.push(join(parentPath, entry.name));
    }
  }
}

/** Returns whether a text may stand for other bytes: those that are not UTF-8 become this character. */
function isLossy(text: string): boolean {
  return text.includes('\uFFFD');
}

function existingPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

function contains(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith('../') && !isAbsolute(fromFolder);
}
