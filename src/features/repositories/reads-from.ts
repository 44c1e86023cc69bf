import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';

/** Git itself follows five alternates in a row. */
const mostObjectFolders = 16;

/**
 * Whether Git, reading the repository at `path`, would read anything inside `folder`: because it lies there, or by a
 * link, the `.git` file of a linked work tree, or alternates (gitrepository-layout(5)).
 */
export async function readsFrom(folder: string, path: string): Promise<boolean> {
  const gitDir = await gitDirOf(path);
  const common = resolve(gitDir, (await textOf(join(gitDir, 'commondir'))) ?? '');
  const objects = await objectFolders(join(common, 'objects'));
  if (objects === undefined) return true;
  const places = [path, gitDir, common, ...objects, ...objects.map((place) => join(place, 'pack'))];
  const [inside, ...real] = await Promise.all([folder, ...places].map(realPath));
  return real.some((place) => contains(inside ?? folder, place));
}

async function gitDirOf(path: string): Promise<string> {
  const dotGit = join(path, '.git');
  const linked = /^gitdir: (.+)$/.exec((await textOf(dotGit)) ?? '')?.[1];
  if (linked !== undefined) return resolve(path, linked);
  return (await stat(dotGit).catch(() => undefined)) === undefined ? path : dotGit;
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

function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trimEnd(),
    () => undefined,
  );
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
