import { join } from 'node:path';
import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { GitCredentials } from '../../../foundation/git/remote/git-credentials.ts';
import type { GitSource } from '../../../foundation/git/source/git-source.ts';
import { ensureContextRepository } from '../../../foundation/git/writing/context-repository.ts';
import { pushCommit } from '../../../foundation/git/writing/push-commit.ts';
import { type FileChange, writeCommit } from '../../../foundation/git/writing/write-commit.ts';
import { dataFolder } from '../../../foundation/kernel/data-folder.ts';
import { openSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import { withRunFolder } from '../../../foundation/kernel/run-folder.ts';
import { mirrorAuthor } from '../../mirror/commits/commit-message.ts';

export interface ConfigPush {
  /** The repository, and what Git needs to reach it. */
  readonly remote: {
    readonly source: GitSource;
    readonly credentials: GitCredentials;
    readonly deps: GitDeps;
    readonly signal: AbortSignal;
  };
  /** The branch that is merged into. Created with a first commit if the repository is empty. */
  readonly base: string;
  /** The new branch. */
  readonly head: string;
  readonly root: string;
  readonly path: string;
  /** Returns the content of the file from the present tip of `base`. */
  content(tip: string): Promise<string>;
  /** Added to the end of each message. */
  readonly trailers: string;
  readonly time: number;
}

/**
 * Pushes a new branch with the configuration file, never by force. `exists`: somebody created the branch meanwhile;
 * its content stays. `same`: the file on `base` has this content already.
 * @throws GitError; the errors of `content`
 */
export async function pushConfigFile(push: ConfigPush): Promise<'pushed' | 'exists' | 'same'> {
  const { deps, signal } = push.remote;
  const inFolder = async (folder: string) => propose(push, join(folder, 'copy.git'));
  return copies(() => withRunFolder(dataFolder(deps.dataDir).proposals, inFolder), signal);
}

/** Bounds the copies that a process holds at the same time: each may be as large as a context repository. */
const copies = openSemaphore(2);

async function propose(push: ConfigPush, gitDir: string): Promise<'pushed' | 'exists' | 'same'> {
  const tip = await baseTip(push, gitDir);
  const content = Buffer.from(await push.content(tip));
  const message = `Configure ${push.root}/`;
  const commit = await write(push, gitDir, tip, message, { path: push.path, content });
  if (commit === undefined) return 'same';
  const outcome = await pushCommit({ ...push.remote, gitDir, branch: push.head, commit });
  return outcome === 'pushed' ? 'pushed' : 'exists';
}

/** Returns the tip of the base branch. In an empty repository it makes the first commit. */
async function baseTip(push: ConfigPush, gitDir: string): Promise<string> {
  const fetch = { ...push.remote, gitDir, branch: push.base };
  const { tip } = await ensureContextRepository(fetch);
  if (tip !== undefined) return tip;
  const readme = `Files in this folder are mirrored by orgctx; ${push.path} says which. Changes here are overwritten.\n`;
  const file = { path: `${push.root}/README.md`, content: Buffer.from(readme) };
  const commit = await write(push, gitDir, undefined, `Add ${push.root}/`, file);
  if (commit !== undefined && (await pushCommit({ ...fetch, commit })) === 'pushed') return commit;
  const again = await ensureContextRepository(fetch);
  if (again.tip !== undefined) return again.tip;
  throw new GitError('failed', `The branch ${push.base} could not be created. Try again.`);
}

async function write(
  { remote, root, trailers, time }: ConfigPush,
  gitDir: string,
  parent: string | undefined,
  subject: string,
  file: FileChange,
): Promise<string | undefined> {
  const written = await writeCommit({
    gitDir,
    parent,
    changes: [file],
    roots: [root],
    message: `${subject}\n\n${trailers}\n`,
    author: mirrorAuthor,
    time,
    stagingRef: 'refs/orgctx/staging/0',
    signal: remote.signal,
  });
  return written.changed ? written.commit : undefined;
}
