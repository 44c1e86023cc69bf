import { setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from '../../foundation/db/database.ts';
import { GitError } from '../../foundation/git/git-error.ts';
import { pushCommit } from '../../foundation/git/writing/push-commit.ts';
import {
  type FileChange,
  type WrittenCommit,
  writeCommit,
} from '../../foundation/git/writing/write-commit.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import { forgetDeadJobs } from '../../foundation/jobs/retry-jobs.ts';
import { type ChangeContent, readContents, removeCommitted, type WaitingChange } from './change-store.ts';
import { commitMessage } from './commit-message.ts';
import { type CommitRun, withCredentials } from './commit-run.ts';
import { mirrorRoots } from './mirror-change.ts';
import { recordSuccess } from './mirror-target-store.ts';
import { mirrorCommit } from './tasks.ts';

/** Nobody's mailbox (RFC 2606 section 2). */
const author = { name: 'orgctx', email: 'noreply@orgctx.invalid' } as const;

/** Tries on a branch that others push to as well, before the queue's own wait. */
const maxTries = 5;
const firstDelayMs = 50;

/**
 * Makes one commit of these changes, pushes it, and takes off the list what it holds, in one transaction. Where somebody
 * else was faster, the changes are written again on the new tip: they are contents of files and never a merge.
 * Returns what the branch names then, `undefined` while there is no branch.
 */
export async function landCommit(
  run: CommitRun,
  changes: readonly WaitingChange[],
  parent: string | undefined,
  newTip: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { signal } = run.context;
  for (let tries = 1; ; tries += 1) {
    const { written, contents } = await write(run, changes, parent);
    if (!written.changed) {
      await settle(run, contents, undefined);
      return parent;
    }
    // A worker that is late by more than its lease must not bring old content to the branch.
    await run.context.assertHeld(run.deps.database.queries);
    if ((await push(run, written.commit)) === 'pushed') {
      await settle(run, contents, written.commit);
      return written.commit;
    }
    if (tries === maxTries) throw contested();
    await sleep(Math.random() * firstDelayMs * 2 ** tries, undefined, { signal });
    parent = await newTip();
  }
}

interface Written {
  readonly written: WrittenCommit;
  /** What was committed, to the very write; only these leave the list. */
  readonly contents: readonly Pick<ChangeContent, 'number' | 'revision'>[];
}

async function write(
  { deps, context, gitDir }: CommitRun,
  changes: readonly WaitingChange[],
  parent: string | undefined,
): Promise<Written> {
  const contents: Pick<ChangeContent, 'number' | 'revision'>[] = [];
  const written = await writeCommit({
    gitDir,
    parent,
    changes: files(deps.database.queries, changes, contents),
    roots: mirrorRoots,
    message: commitMessage(changes),
    author,
    time: deps.clock(),
    stagingRef: `refs/orgctx/staging/${context.fence ?? 0}`,
    signal: context.signal,
  });
  return { written, contents };
}

async function* files(
  queries: Queries,
  changes: readonly WaitingChange[],
  read: Pick<ChangeContent, 'number' | 'revision'>[],
): AsyncGenerator<FileChange, void> {
  for await (const { number, revision, path, content } of readContents(queries, changes)) {
    read.push({ number, revision });
    yield { path, content };
  }
}

function push(run: CommitRun, commit: string): Promise<'pushed' | 'rejected'> {
  const { source, target, gitDir, deps, context } = run;
  return withCredentials(run, (credentials) =>
    pushCommit({
      source,
      branch: target.branch,
      gitDir,
      commit,
      ...credentials,
      deps: deps.git,
      signal: context.signal,
    }),
  );
}

/** `commit` where one was pushed. */
async function settle(
  { deps, context, target }: CommitRun,
  contents: Written['contents'],
  commit: string | undefined,
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, deps.clock);
    await recordSuccess(tx, target.id, commit === undefined ? undefined : { commit, at });
    await removeCommitted(tx, contents);
    await forgetDeadJobs(tx, mirrorCommit, target.id);
  });
}

function contested(): GitError {
  return new GitError(
    'failed',
    'Others pushed to the branch again and again while it was written to. It is tried again by itself.',
  );
}
