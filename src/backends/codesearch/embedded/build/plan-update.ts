import { diffTree, listTree, resolveCommit } from '../../../../foundation/git/objects.ts';
import { SKIP, UNSAFE_NAME } from '../format/segment-sections.ts';
import { isAlive } from '../read/segment-state.ts';
import type { CurrentIndex, CurrentSegment } from './current-index.ts';
import { inStaticOrder, type PlannedFile, plannedFile } from './planned-file.ts';

/** What has to happen to bring an index to a commit. */
export interface Update {
  /** In static order. */
  readonly added: readonly PlannedFile[];
  /** Paths whose documents are replaced or gone. */
  readonly removed: readonly string[];
  /** Entries of the commit that are left out for their forged names. */
  readonly unsafe: number;
}

interface Target {
  readonly gitDir: string;
  readonly to: string;
}

/** Every file of the commit, `removed` being empty. @throws InvalidInput `too_many_files` */
export async function planWhole({ gitDir, to }: Target, signal: AbortSignal): Promise<Update> {
  const files: PlannedFile[] = [];
  let unsafe = 0;
  for await (const entry of listTree(gitDir, to, signal)) {
    if (entry.unsafe) unsafe += 1;
    else files.push(plannedFile(entry));
  }
  return { added: files.toSorted(inStaticOrder), removed: [], unsafe };
}

/**
 * By `git diff-tree` where the indexed commit is still there; after a force-push by comparing blob ids, and also where
 * forged names would let the two disagree. @throws InvalidInput `too_many_files`
 */
export async function planUpdate(
  current: CurrentIndex,
  target: Target,
  signal: AbortSignal,
): Promise<Update> {
  const known = await resolveCommit(target.gitDir, current.manifest.commit);
  const forged = current.manifest.skipped[UNSAFE_NAME] !== undefined;
  if (known === undefined || forged || (await countUnsafe(target, signal)) > 0) {
    return compareBlobs(current, await planWhole(target, signal));
  }
  return compareCommits(current.manifest.commit, target, signal);
}

/** Looked at before Git compares the commit: it would hold every difference in memory before it prints one. */
async function countUnsafe({ gitDir, to }: Target, signal: AbortSignal): Promise<number> {
  let unsafe = 0;
  for await (const entry of listTree(gitDir, to, signal, { sizes: false })) if (entry.unsafe) unsafe += 1;
  return unsafe;
}

async function compareCommits(from: string, { gitDir, to }: Target, signal: AbortSignal): Promise<Update> {
  const added: PlannedFile[] = [];
  const removed: string[] = [];
  for await (const change of diffTree(gitDir, from, to, signal)) {
    if (change.status !== 'A') removed.push(change.path);
    if (change.status !== 'D') added.push(plannedFile({ ...change, bytes: 0 }));
  }
  return { added: added.toSorted(inStaticOrder), removed, unsafe: 0 };
}

function compareBlobs(current: CurrentIndex, whole: Update): Update {
  const wanted = new Map(whole.added.map((file) => [file.path, file]));
  const removed: string[] = [];
  for (const { segment, state } of current.segments) {
    const { documents } = segment;
    for (let document = 0; document < documents.count; document++) {
      if (!isAlive(state, document)) continue;
      const path = documents.path(document);
      const file = wanted.get(path);
      if (file !== undefined && isSame(file, documents.oid(document), documents.skipped[document]!)) {
        wanted.delete(path);
      } else {
        removed.push(path);
      }
    }
  }
  return { ...whole, added: [...wanted.values()].toSorted(inStaticOrder), removed };
}

/** The same bytes seen as the same kind of entry: a link and a file may share a blob. */
function isSame(file: PlannedFile, oid: string, skipped: number): boolean {
  return file.oid === oid && isLink(file.skipped) === isLink(skipped);
}

function isLink(code: number): boolean {
  return code === SKIP.symlink || code === SKIP.submodule;
}

/** Marks the documents at `paths` dead. Gives the segments whose set grew. */
export function buryPaths(current: CurrentIndex, paths: readonly string[]): Set<CurrentSegment> {
  const changed = new Set<CurrentSegment>();
  for (const path of paths) {
    for (const entry of current.segments) {
      for (const document of entry.segment.documents.find(path)) {
        if (!isAlive(entry.state, document)) continue;
        entry.state.low[document] = 0;
        changed.add(entry);
      }
    }
  }
  return changed;
}
