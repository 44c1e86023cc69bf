import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Real Git in the bare repository of the stand-in. */
export interface BareRepository {
  readonly gitDir: string;
  /** @throws an error with Git's output */
  git(...args: string[]): string;
  /** Returns the commit of every branch. */
  branches(): ReadonlyMap<string, string>;
  /** Merges a branch into another as the button of a Git host does, and returns the commit on the target. */
  merge(request: MergeRequest): string;
  /** Reads a file; `undefined` unless it is one. */
  read(commit: string, path: string): Buffer | undefined;
}

export interface MergeRequest {
  readonly base: string;
  readonly head: string;
  readonly method: MergeMethod;
  readonly title: string;
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

const environment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Person',
  GIT_AUTHOR_EMAIL: 'person@example.com',
  GIT_COMMITTER_NAME: 'Person',
  GIT_COMMITTER_EMAIL: 'person@example.com',
};

function run(cwd: string, args: readonly string[]): Buffer {
  return execFileSync('git', args, {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

export function createBareRepository(root: string, name: string, defaultBranch: string): BareRepository {
  const gitDir = join(root, name);
  run(root, ['init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`, gitDir]);
  const git = (...args: string[]): string => run(gitDir, args).toString('utf8').trim();
  return {
    gitDir,
    git,
    branches() {
      const lines = git('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads').split(
        '\n',
      );
      return new Map(lines.filter(Boolean).map((line) => line.split(' ') as [string, string]));
    },
    merge: (request) => merge(gitDir, request),
    read(commit, path) {
      try {
        return run(gitDir, ['cat-file', 'blob', `${commit}:${path}`]);
      } catch {
        return undefined;
      }
    },
  };
}

function merge(gitDir: string, { base, head, method, title }: MergeRequest): string {
  const folder = temporaryFolder();
  const git = (...args: string[]): string => run(folder, args).toString('utf8').trim();
  git('clone', '--quiet', '--shared', '--branch', base, gitDir, '.');
  if (method === 'rebase') {
    git('checkout', '--quiet', '--detach', `origin/${head}`);
    git('rebase', '--quiet', '--force-rebase', `origin/${base}`);
  } else if (method === 'squash') {
    git('merge', '--quiet', '--squash', `origin/${head}`);
    git('commit', '--quiet', '--message', title);
  } else {
    git('merge', '--quiet', '--no-ff', '--message', title, `origin/${head}`);
  }
  git('push', '--quiet', 'origin', `HEAD:refs/heads/${base}`);
  return git('rev-parse', 'HEAD');
}
