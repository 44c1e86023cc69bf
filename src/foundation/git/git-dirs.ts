import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export interface GitDirs {
  /** What Git opens for the folder: `.git` in it, where a `.git` file leads, or the folder itself when it is bare. */
  readonly gitDir: string;
  /** Where objects and branches lie: the same folder, but for a linked work tree. */
  readonly common: string;
}

/** Of a repository's folder (gitrepository-layout(5)), without a process. */
export async function gitDirsOf(path: string): Promise<GitDirs> {
  const gitDir = await gitDirOf(path);
  return { gitDir, common: resolve(gitDir, (await textOf(join(gitDir, 'commondir'))) ?? '') };
}

async function gitDirOf(path: string): Promise<string> {
  const dotGit = join(path, '.git');
  const linked = /^gitdir: (.+)$/.exec((await textOf(dotGit)) ?? '')?.[1];
  if (linked !== undefined) return resolve(path, linked);
  return (await stat(dotGit).catch(() => undefined)) === undefined ? path : dotGit;
}

/** Without blanks at its end; `undefined` for a file that cannot be read. */
export function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trimEnd(),
    () => undefined,
  );
}
