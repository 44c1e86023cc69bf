import { filesAt, folderIds, idsWrittenBy } from '../../../foundation/git/writing/branch-files.ts';
import { ensureContextRepository } from '../../../foundation/git/writing/context-repository.ts';
import { pendingPaths, queueChanges } from '../change-store.ts';
import { type MirrorFile, nextFiles, setFileState } from '../file-store.ts';
import { slicesOf } from '../slices.ts';
import { type CommitRun, mirrorAuthor, withRemote } from './commit-run.ts';

/** Maximum number of files that one step compares: their paths are arguments of Git. */
const filesPerStep = { rows: 500, bytes: 256 * 1024 } as const;

/**
 * Fetches the branch, and compares its tip with what the mirror has committed, if tip and folders differ from those of
 * the last comparison. What somebody removed or changed is marked as lost, and its connection writes it again; what the
 * mirror had deleted and somebody brought back is deleted again. All other files belong to people. The tip is kept in
 * the run, which records it with its result.
 */
export async function compareBranch(run: CommitRun): Promise<void> {
  const { tip } = await withRemote(run, ensureContextRepository);
  run.tip = tip;
  if (run.compared !== undefined && run.compared.commit === tip) return;
  const { deps, context, gitDir } = run;
  const folders = await folderIds(gitDir, tip, deps.roots, context.signal);
  if (run.compared?.folders !== folders) await compareFiles(run);
  run.compared = { commit: tip, folders };
}

async function compareFiles(run: CommitRun): Promise<void> {
  const { deps, target } = run;
  let after = '';
  for (;;) {
    const files = await nextFiles(deps.database.queries, target.id, after, filesPerStep.rows);
    if (files.length === 0) return;
    for await (const { slice, found } of filesOnBranch(run, files))
      await settleDifferences(run, slice, found);
    after = files.at(-1)?.path ?? '';
  }
}

/** Returns files in steps, each with the ids that the tip of the branch has at their paths, by path. */
export async function* filesOnBranch<File extends { readonly path: string }>(
  { context, gitDir, tip }: CommitRun,
  files: readonly File[],
) {
  for (const slice of slicesOf(files, filesPerStep, ({ path }) => Buffer.byteLength(path)))
    yield { slice, found: await filesAt(gitDir, tip, pathsOf(slice), context.signal) };
}

/** @param found the ids of the files on the branch, by path */
async function settleDifferences(
  run: CommitRun,
  files: readonly MirrorFile[],
  found: ReadonlyMap<string, string>,
): Promise<void> {
  const { deps, context, target } = run;
  const differing = files.filter(({ path, blob, state }) =>
    state === 'deleted' ? found.has(path) : (found.get(path) === blob) !== (state === 'present'),
  );
  if (differing.length === 0) return;
  const back = differing.filter(({ state }) => state === 'deleted');
  const returned = await ownFiles(run, back, found);
  await deps.database.transaction(async (tx) => {
    await context.assertHeld(tx);
    // What waits for a commit is written or deleted by it anyway.
    const paths = differing.map(({ path }) => path);
    const pending = await pendingPaths(tx, target.id, paths);
    const open = differing.filter(({ path }) => !pending.has(path));
    const lost = open.filter(({ state }) => state === 'present');
    const restored = open.filter(({ state }) => state === 'lost');
    await setFileState(tx, target.id, pathsOf(lost), 'lost');
    await setFileState(tx, target.id, pathsOf(restored), 'present');
    if (lost.length > 0) await deps.restore?.(tx, target, lost);
    // A record that was renamed since is written again in the same commit, if its content is stored.
    const deletion = { content: null, origin: 'a deleted file', changeClass: 'backfill' } as const;
    const deletions = open
      .filter((file) => returned.includes(file))
      .map(({ path, connectionId }) => ({ path, connectionId, ...deletion }));
    await queueChanges(tx, target.id, deletions, deps.roots);
  });
}

function pathsOf(files: readonly { readonly path: string }[]): readonly string[] {
  return files.map(({ path }) => path);
}

/** Returns those of the files whose content on the branch was written by the mirror, and not by a person. */
async function ownFiles(
  { gitDir, context, tip }: CommitRun,
  files: readonly MirrorFile[],
  found: ReadonlyMap<string, string>,
): Promise<readonly MirrorFile[]> {
  const others = files.filter(({ path, blob }) => found.get(path) !== blob);
  if (tip === undefined || others.length === 0) return files;
  const written = await idsWrittenBy(gitDir, tip, mirrorAuthor.email, pathsOf(others), context.signal);
  return files.filter(
    (file) => !others.includes(file) || written.has(`${file.path} ${found.get(file.path)}`),
  );
}
