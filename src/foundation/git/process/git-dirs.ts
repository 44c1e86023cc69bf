import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { withoutEnd } from '../../kernel/text/cut-text.ts';

export interface GitDirs {
  /** The Git folder: `.git`, the target of a `.git` file, or the folder itself if it is bare. */
  readonly gitDir: string;
  /** The folder of objects and branches: the same, except for a linked work tree. */
  readonly common: string;
}

/** Returns the Git folders of a repository (gitrepository-layout(5)) without starting a process. */
export async function gitDirsOf(path: string): Promise<GitDirs> {
  const gitDir = await gitDirOf(path);
  const common = await textOf(join(gitDir, 'commondir'));
  return { gitDir, common: common === undefined ? gitDir : within(gitDir, common) };
}

async function gitDirOf(path: string): Promise<string> {
  const dotGit = join(path, '.git');
  const text = await textOf(dotGit);
  if (text?.startsWith('gitdir: ') === true) return within(path, text.slice('gitdir: '.length));
  return (await stat(dotGit).catch(() => undefined)) === undefined ? path : dotGit;
}

/**
 * Returns a path relative to a folder. `..` is kept, because the system and Git follow a link before it, which
 * `resolve` does not.
 */
function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`;
}

/** Reads a file without the line breaks at its end, as Git does; `undefined` if it cannot be read. */
export function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => withoutEnd(text, '\r\n'),
    () => undefined,
  );
}
