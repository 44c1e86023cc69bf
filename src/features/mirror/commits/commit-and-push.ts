import { setTimeout as sleep } from 'node:timers/promises';
import { blobId } from '../../../foundation/git/objects/blob-id.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import { folderIds, idLengthOf } from '../../../foundation/git/writing/branch-files.ts';
import { pushCommit } from '../../../foundation/git/writing/push-commit.ts';
import { type FileChange, writeCommit } from '../../../foundation/git/writing/write-commit.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { type ChangeContent, type PendingChange, readContents, removeCommitted } from '../change-store.ts';
import { type CommittedFile, recordFiles } from '../file-store.ts';
import type { ChangeClass } from '../mirror-change.ts';
import { changeTarget, findTarget } from '../mirror-target-store.ts';
import { mirrorCommit } from '../tasks.ts';
import { type CommitRun, mirrorAuthor, withRemote } from './commit-run.ts';
import { compareBranch, filesOnBranch } from './compare-branch.ts';

/** Maximum number of attempts on a branch that others push to, before the back-off of the queue. */
const maxAttempts = 5;
/** Base of the delay between two attempts, in milliseconds. */
const baseDelayMs = 50;

/**
 * Commits the changes, all of one class, pushes the commit and removes the committed changes from the queue in one
 * transaction. If another push came first, it writes the changes again on the new tip; they are whole files, so nothing
 * is merged. Keeps the new tip of the branch in `run.tip`.
 */
export async function commitAndPush(
  run: CommitRun,
  changes: readonly PendingChange[],
  changeClass: ChangeClass,
): Promise<void> {
  const { signal } = run.context;
  // An earlier push may still reach the branch, with content that may be outdated by now: its end is not known, and the
  // branch is not at its commit. Any new commit, even an empty one, makes the host reject it.
  const { pushing } = (await findTarget(run.deps.database.queries, run.target.id)) ?? {};
  const evenIfUnchanged = pushing !== undefined && pushing !== run.tip;
  for (let attempt = 1; ; attempt += 1) {
    // Most files of a rebuild are on the branch already, and its message names the others only.
    const unchanged = changeClass === 'rebuild' ? await unchangedFiles(run, changes) : [];
    const { written, contents } = await write(run, changes, unchanged, evenIfUnchanged);
    if (!written.changed) return settle(run, contents, undefined);
    // A worker whose lease has expired must not push old content to the branch.
    await run.context.assertHeld(run.deps.database.queries);
    const { commit } = written;
    await changeTarget(run.deps.database.queries, run.target.id, { pushing: commit });
    const pushed = await withRemote(run, (remote) => pushCommit({ ...remote, commit }));
    if (pushed === 'pushed') return settle(run, contents, commit);
    if (attempt === maxAttempts) {
      throw new GitError(
        'failed',
        'The push was rejected repeatedly because others pushed to the branch. It will be retried automatically.',
      );
    }
    await sleep(Math.random() * baseDelayMs * 2 ** attempt, undefined, { signal });
    await compareBranch(run);
  }
}

/** A write in the commit. Only these are removed from the queue. */
type WrittenFile = CommittedFile & Pick<ChangeContent, 'number' | 'revision'>;

/** Returns those of the files that the branch has with their content. */
async function unchangedFiles(
  run: CommitRun,
  changes: readonly PendingChange[],
): Promise<readonly WrittenFile[]> {
  const unchanged: WrittenFile[] = [];
  if (run.tip === undefined) return unchanged;
  for await (const { slice, found } of filesOnBranch(run, changes)) {
    for await (const { content, ...change } of readContents(run.deps.database.queries, slice)) {
      const blob = content && blobId(content, run.tip.length);
      if (blob !== null && blob === found.get(change.path)) unchanged.push({ ...change, blob });
    }
  }
  return unchanged;
}

async function write(
  { deps, context, gitDir, tip: parent }: CommitRun,
  changes: readonly PendingChange[],
  unchanged: readonly WrittenFile[],
  evenIfUnchanged: boolean,
) {
  const contents: WrittenFile[] = [...unchanged];
  const present = new Set(unchanged.map(({ path }) => path));
  const differing = changes.filter(({ path }) => !present.has(path));
  const idLength = parent?.length ?? (await idLengthOf(gitDir));
  async function* files(): AsyncGenerator<FileChange, void> {
    for await (const { content, ...change } of readContents(deps.database.queries, differing)) {
      contents.push({ ...change, blob: content === null ? null : blobId(content, idLength) });
      yield { path: change.path, content };
    }
  }
  const written = await writeCommit({
    parent,
    evenIfUnchanged,
    gitDir,
    changes: files(),
    roots: deps.roots,
    message: commitMessage(differing.length > 0 ? differing : changes),
    author: mirrorAuthor,
    time: deps.clock(),
    stagingRef: `refs/orgctx/staging/${context.fence ?? 0}`,
    signal: context.signal,
  });
  return { written, contents };
}

/** Records a success and what was written, and removes the committed writes. `commit` is set if one was pushed. */
async function settle(
  run: CommitRun,
  contents: readonly WrittenFile[],
  commit: string | undefined,
): Promise<void> {
  const { deps, context, target, gitDir } = run;
  if (commit !== undefined) {
    run.tip = commit;
    run.compared = { commit, folders: await folderIds(gitDir, commit, deps.roots, context.signal) };
  }
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, deps.clock);
    await changeTarget(tx, target.id, {
      error: null,
      pushing: null,
      ...(commit !== undefined && { head: commit, committed_at: at }),
      ...(run.compared !== undefined && { compared: JSON.stringify(run.compared) }),
    });
    await removeCommitted(tx, contents);
    await recordFiles(tx, target.id, contents);
    if (target.error !== undefined) await deps.errorChanged?.(tx, target);
    if (commit !== undefined) await deps.pushed?.(tx, target);
    await deleteDeadJobs(tx, mirrorCommit, target.id);
  });
}

const maxConnections = 20;
const maxSources = 100;
const maxLineLength = 200;

/**
 * Returns the message of a commit: a subject, and connections and sources as trailers (contract section 6), each once
 * and sorted. Origins are text of a provider: one line each, without control characters, truncated to 200 characters.
 * @internal Tests call it alone.
 */
export function commitMessage(changes: readonly Pick<PendingChange, 'connectionId' | 'origin'>[]): string {
  const connections = distinct(changes.map(({ connectionId }) => connectionId));
  const sources = distinct(changes.map(({ origin }) => origin));
  const [only = ''] = sources;
  return [
    sources.length === 1 ? `Mirror ${only}` : `Mirror ${changes.length} files`,
    '',
    ...omitted('connections', connections.length, maxConnections),
    ...omitted('sources', sources.length, maxSources),
    ...connections.slice(0, maxConnections).map((id) => `Orgctx-Connection: ${id}`),
    ...sources.slice(0, maxSources).map((source) => `Orgctx-Source: ${source}`),
    '',
  ].join('\n');
}

/** Returns a note in its own paragraph, because trailers must be the last paragraph. */
function omitted(what: string, count: number, max: number): readonly string[] {
  return count <= max ? [] : [`${count - max} more ${what} are not named below.`, ''];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(oneLine))].filter((text) => text !== '').toSorted();
}

function oneLine(text: string): string {
  const line = visibleLine(text).replaceAll(/\s+/gu, ' ').trim();
  return line.slice(0, maxLineLength).toWellFormed().trim();
}
