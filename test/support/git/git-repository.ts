import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

/** A real Git repository in a temporary folder; `commit` writes the files and returns the commit id. */
export interface TestRepository {
  readonly folder: string;
  commit(files: Readonly<Record<string, string | Uint8Array>>, message?: string): string;
  git(...args: string[]): string;
}

export function createRepository(files: Readonly<Record<string, string | Uint8Array>> = {}): TestRepository {
  const folder = temporaryFolder();
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...identity },
    }).trim();
  const commit: TestRepository['commit'] = (changes, message = 'Change') => {
    for (const [path, content] of Object.entries(changes)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  if (Object.keys(files).length > 0) commit(files, 'Start');
  return { folder, commit, git };
}

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};
