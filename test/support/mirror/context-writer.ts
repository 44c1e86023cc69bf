import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GitError } from '../../../src/foundation/git/process/git-error.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';
import {
  type ContextRepositoryRequest,
  ensureContextRepository,
} from '../../../src/foundation/git/writing/context-repository.ts';
import { pushCommit } from '../../../src/foundation/git/writing/push-commit.ts';
import {
  type FileChange,
  type WrittenCommit,
  writeCommit,
} from '../../../src/foundation/git/writing/write-commit.ts';
import { filesOfCommit } from '../git/files-of-commit.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export const author = { name: 'Context', email: 'context@example.com' };
const time = Date.UTC(2026, 10, 21);

/** A bare repository below the root of a Git host; tests read and change it directly. */
export interface HostedRepository {
  readonly gitDir: string;
  git(...args: string[]): string;
  /** Returns path and content of every file of the branch. */
  files(branch?: string): Readonly<Record<string, string>>;
}

export function hostRepository(
  root: string,
  path: string,
  files: Readonly<Record<string, string>> = {},
  format: 'sha1' | 'sha256' = 'sha1',
): HostedRepository {
  const gitDir = join(root, path);
  mkdirSync(gitDir, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8' }).trim();
  git('init', '--quiet', '--bare', '--initial-branch=main', `--object-format=${format}`);
  if (Object.keys(files).length > 0) addCommit(gitDir, files);
  return {
    gitDir,
    git,
    files: (branch = 'main') => filesOfCommit(gitDir, branch),
  };
}

/** Adds a commit of another person to a branch and returns its id. */
export function addCommit(gitDir: string, files: Readonly<Record<string, string>>, branch = 'main'): string {
  const ref = `refs/heads/${branch}`;
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { encoding: 'utf8', input }).trim();
  const parent = git(['for-each-ref', '--format=%(objectname)', ref]);
  const head = `commit ${ref}\ncommitter Other <other@example.com> 1700000000 +0000\ndata 16\nBy somebody else\n`;
  const changes = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  git(['fast-import', '--quiet'], `${head}${parent === '' ? '' : `from ${parent}\n`}${changes.join('')}\n`);
  return git(['rev-parse', ref]);
}

export function requestOf(
  url: string,
  options: Partial<ContextRepositoryRequest> = {},
): ContextRepositoryRequest {
  const data = temporaryFolder();
  const allowHosts = ['127.0.0.1'];
  return {
    source: parseSource(url, { allowLocal: true, allowHosts }),
    branch: 'main',
    gitDir: join(data, 'context', 'c.git'),
    signal: new AbortController().signal,
    deps: { dataDir: data, allowHosts },
    ...options,
  };
}

let attempts = 0;

export function write(
  { gitDir, signal }: ContextRepositoryRequest,
  parent: string | undefined,
  changes: Readonly<Record<string, string | null>> | AsyncIterable<FileChange>,
): Promise<WrittenCommit> {
  attempts += 1;
  return writeCommit({
    gitDir,
    parent,
    changes: Symbol.asyncIterator in changes ? changes : changesOf(changes),
    roots: ['tracker', 'oncall'],
    message: 'Mirror a change\n\nOrigin: test\n',
    author,
    time,
    stagingRef: `refs/orgctx/staging/${attempts}`,
    signal,
  });
}

function* changesOf(files: Readonly<Record<string, string | null>>): Generator<FileChange> {
  for (const [path, content] of Object.entries(files)) {
    yield { path, content: content === null ? null : Buffer.from(content) };
  }
}

export function push(
  { source, branch, gitDir, credentials, signal, deps }: ContextRepositoryRequest,
  commit: string,
): Promise<'pushed' | 'rejected'> {
  return pushCommit({
    source,
    branch,
    gitDir,
    commit,
    signal,
    deps,
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/** Writes a commit on the branch's tip without pushing it; returns its id. */
export async function staged(request: ContextRepositoryRequest): Promise<string> {
  const { tip } = await ensureContextRepository(request);
  return (await write(request, tip, { 'tracker/a.md': 'ours' })).commit ?? '';
}

/** Returns the GitError that the work fails with; throws if it succeeds or fails otherwise. */
export async function gitFailure(work: Promise<unknown>): Promise<GitError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof GitError) return error;
  throw new Error('no GitError', { cause: error });
}

/**
 * Writes and pushes one batch, with a retry after each rejected push. Returns the commit and the number of rejections.
 */
export async function land(
  request: ContextRepositoryRequest,
  changes: Readonly<Record<string, string | null>>,
): Promise<{ readonly commit: string | undefined; readonly refusals: number }> {
  for (let refusals = 0; refusals < 5; refusals += 1) {
    const { tip } = await ensureContextRepository(request);
    const { changed, commit } = await write(request, tip, changes);
    if (!changed) return { commit, refusals };
    if ((await push(request, commit)) === 'pushed') return { commit, refusals };
  }
  throw new Error('the push was rejected five times');
}
