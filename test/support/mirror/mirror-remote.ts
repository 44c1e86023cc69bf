import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfCommit } from '../git/files-of-commit.ts';
import { createRepository } from '../git/git-repository.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A bare repository of a Git host to which other people push, too. */
export interface MirrorRemote {
  readonly folder: string;
  git(...args: string[]): string;
  /** Returns path and content of every file of a branch. */
  files(branch?: string): Readonly<Record<string, string>>;
  /** Returns the commits of a branch, newest first; an empty list if it does not exist. */
  history(branch?: string): readonly RemoteCommit[];
  /** Clones, commits and pushes as another person; `null` deletes a file. Returns the commit id. */
  commitByHand(files: Readonly<Record<string, string | null>>, branch?: string): string;
}

export interface RemoteCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
}

/** @param root folder of the repository, for a server. Default: a new folder. */
export function createRemote(root: string = temporaryFolder(), name = 'context.git'): MirrorRemote {
  const folder = join(root, name);
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  const remote = remoteIn(folder);
  remote.git('config', 'http.receivepack', 'true');
  remote.git('config', 'uploadpack.allowFilter', 'true');
  return remote;
}

/** Copies a repository; faster than a clone. */
export function copyRemote({ folder }: MirrorRemote): MirrorRemote {
  const copy = join(temporaryFolder(), 'context.git');
  cpSync(folder, copy, { recursive: true });
  return remoteIn(copy);
}

function remoteIn(folder: string): MirrorRemote {
  const git = (...args: string[]): string =>
    execFileSync('git', ['--git-dir', folder, ...args], {
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    folder,
    git,
    files: (branch = 'main') => (hasBranch(git, branch) ? filesOfCommit(folder, branch) : {}),
    history: (branch = 'main') => historyOf(git, branch),
    commitByHand: (files, branch = 'main') => commitByHand(folder, git, files, branch),
  };
}

type Git = MirrorRemote['git'];

function hasBranch(git: Git, branch: string): boolean {
  return git('for-each-ref', `refs/heads/${branch}`).trim() !== '';
}

function historyOf(git: Git, branch: string): readonly RemoteCommit[] {
  if (!hasBranch(git, branch)) return [];
  const log = git('log', '-z', '--format=%H%n%P%n%an <%ae>%n%B', branch);
  return log
    .split('\0')
    .filter((text) => text !== '')
    .map((text) => {
      const [id = '', parents = '', author = '', ...message] = text.split('\n');
      return { id, parents: parents.split(' ').filter(Boolean), author, message: message.join('\n').trim() };
    });
}

function commitByHand(
  folder: string,
  git: Git,
  files: Readonly<Record<string, string | null>>,
  branch: string,
): string {
  const clone = createRepository();
  clone.git('remote', 'add', 'origin', folder);
  if (hasBranch(git, branch)) {
    clone.git('fetch', '--quiet', 'origin', branch);
    clone.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  }
  const kept = Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text]]));
  for (const [path, text] of Object.entries(files)) if (text === null) clone.git('rm', '--quiet', '--', path);
  const commit = clone.commit(Object.fromEntries(kept), 'By hand');
  clone.git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
  return commit;
}
