import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { gitDirsOf, textOf } from './git-dirs.ts';

/** Git itself follows five alternates in a row. */
const mostObjectFolders = 16;

/**
 * Whether Git, reading the repository at `path`, would read anything inside `folder`: because it lies there, or by a
 * link, the `.git` file of a linked work tree, or alternates (gitrepository-layout(5)).
 */
export async function readsFrom(folder: string, path: string): Promise<boolean> {
  const { gitDir, common } = await gitDirsOf(path);
  const objects = await objectFolders(join(common, 'objects'));
  if (objects === undefined) return true;
  const places = [path, gitDir, common, ...objects, ...objects.map((place) => join(place, 'pack'))];
  const [inside, ...real] = await Promise.all([folder, ...places].map(realPath));
  return real.some((place) => contains(inside ?? folder, place));
}

/** `undefined` when they cannot be known: too many, or written in quotes. */
async function objectFolders(first: string): Promise<readonly string[] | undefined> {
  const found = new Set([first]);
  for (const place of found) {
    const lines = (await textOf(join(place, 'info', 'alternates')))?.split('\n') ?? [];
    for (const line of lines.filter((text) => text !== '' && !text.startsWith('#'))) {
      if (line.startsWith('"')) return undefined;
      found.add(resolve(place, line));
    }
    if (found.size > mostObjectFolders) return undefined;
  }
  return [...found];
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
