import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repository that is asked about. */
export interface Source {
  readonly name: string;
  /** A work tree or a bare repository. */
  readonly folder: string;
}

const maxBuffer = 2 ** 30;

/**
 * Returns a repository that has all objects of the branch at HEAD: the given one, or a bare copy in `copies` if it lacks
 * some, as a partial clone does. A file that is missing is empty in the copy, and the commits that have it are written
 * again.
 */
export function completeSource({ name, folder }: Source, copies: string): Source {
  const gitDir = git(folder, ['rev-parse', '--absolute-git-dir']).trim();
  if (missingFrom(gitDir, '--all').length === 0) return { name, folder };
  const copy = join(copies, name);
  if (!existsSync(copy)) {
    const branch = git(gitDir, ['symbolic-ref', 'HEAD']).trim();
    const unfinished = `${copy}.unfinished`;
    git('.', [
      'init',
      '--quiet',
      '--bare',
      `--initial-branch=${branch.replace('refs/heads/', '')}`,
      unfinished,
    ]);
    writeFileSync(join(unfinished, 'objects/info/alternates'), `${join(gitDir, 'objects')}\n`);
    copyBranch(gitDir, unfinished, branch);
    renameSync(unfinished, copy);
  }
  return { name, folder: copy };
}

function copyBranch(gitDir: string, copy: string, branch: string): void {
  const missing = missingFrom(gitDir, branch);
  if (missing.length === 0) {
    git(copy, ['update-ref', branch, git(gitDir, ['rev-parse', branch]).trim()]);
    return;
  }
  const empty = git(copy, ['hash-object', '-w', '--stdin'], '').trim();
  const history = git(gitDir, ['fast-export', '--no-data', branch]);
  git(
    copy,
    ['fast-import', '--quiet', '--date-format=raw-permissive'],
    missing.reduce((text, id) => text.replaceAll(` ${id} `, ` ${empty} `), history),
  );
}

function missingFrom(gitDir: string, revision: string): string[] {
  const objects = git(gitDir, ['rev-list', '--objects', '--missing=print', revision]);
  return [...objects.matchAll(/^\?(\w+)$/gm)].map(([, id = '']) => id);
}

function git(folder: string, args: readonly string[], input?: string): string {
  return execFileSync('git', ['-C', folder, ...args], {
    encoding: 'latin1',
    maxBuffer,
    ...(input !== undefined && { input: Buffer.from(input, 'latin1') }),
  });
}
