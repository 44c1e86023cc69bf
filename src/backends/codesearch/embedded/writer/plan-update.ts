import type { BlobReader } from '../../../../foundation/git/objects/blob-reader.ts';
import { changedFiles } from '../../../../foundation/git/objects/changed-files.ts';
import { listTree } from '../../../../foundation/git/objects/objects.ts';
import type { BranchHead } from '../../port.ts';
import type { Manifest, ManifestBranch } from '../format/manifest.ts';
import { unsafeName } from '../format/segment-sections.ts';
import type { PlannedFile } from '../segment/planned-file.ts';
import { assignBranches, type BranchStep } from './assign-branches.ts';
import type { CurrentIndex } from './current-index.ts';
import type { DraftSegment } from './draft-segment.ts';
import { draftIndex, type IndexDraft } from './index-draft.ts';

/** The changes that bring an index to the requested commits. */
export interface Update {
  readonly branches: Manifest['branches'];
  readonly segments: readonly DraftSegment[];
  /** Files without a document, in static order. */
  readonly added: readonly PlannedFile[];
  /** Number of entries that are skipped because of forged names. */
  readonly unsafe: number;
}

interface Target {
  readonly gitDir: string;
  readonly branches: readonly [BranchHead, ...BranchHead[]];
}

/**
 * Plans an update. Compares commits where possible, and reads only what differs. A branch is listed and compared by
 * blob ids if its previous commit is gone (after a force-push), or if a changed folder is too large to compare; all
 * branches are if names are forged, because only a listing counts those. Without a current index the default branch
 * is listed, and the others are compared with it.
 * @throws InvalidInput `too_many_files`, GitError `damaged`
 */
export async function planUpdate(
  current: CurrentIndex | undefined,
  target: Target,
  reader: Pick<BlobReader, 'readTree'>,
  signal: AbortSignal,
): Promise<Update> {
  const present = current?.manifest.branches ?? [];
  const { steps, freed } = assignBranches(present, target.branches);
  const [first, ...others] = steps;
  const branches: Manifest['branches'] = [branchAt(first), ...others.map(branchAt)];
  const begin = (): IndexDraft => {
    const draft = draftIndex(current?.segments ?? []);
    for (const bit of freed) draft.clear(bit);
    return draft;
  };
  const settled = (draft: IndexDraft, unsafe: number): Update => ({
    branches,
    added: draft.settle(),
    segments: draft.segments,
    unsafe,
  });
  const isForged = current?.manifest.skipped[unsafeName] !== undefined;
  const draft = begin();
  if (!isForged && (await applyChanges(draft, steps, { target, reader, signal }))) return settled(draft, 0);
  const listed = begin();
  let unsafe = 0;
  for (const step of steps) unsafe += await applyListing(listed, step, target.gitDir, signal);
  return settled(listed, unsafe);
}

function branchAt({ name, commit, bit }: BranchStep): ManifestBranch {
  return { name, commit, bit };
}

interface Sources {
  readonly target: Target;
  readonly reader: Pick<BlobReader, 'readTree'>;
  readonly signal: AbortSignal;
}

/** Applies the changes of all branches. Returns false if names are forged. */
async function applyChanges(
  draft: IndexDraft,
  [first, ...others]: readonly [BranchStep, ...BranchStep[]],
  sources: Sources,
): Promise<boolean> {
  if (!(await applyStep(draft, first, first.from, sources))) return false;
  for (const step of others) {
    // A new branch usually differs least from the default branch.
    if (step.from === undefined) draft.copy(first.bit, step.bit);
    if (!(await applyStep(draft, step, step.from ?? first.commit, sources))) return false;
  }
  return true;
}

async function applyStep(
  draft: IndexDraft,
  step: BranchStep,
  from: string | undefined,
  { target, reader, signal }: Sources,
): Promise<boolean> {
  signal.throwIfAborted();
  if (from === step.commit) return true;
  const changes = from === undefined ? 'missing' : await changedFiles(reader, from, step.commit);
  if (changes === 'forged') return false;
  if (changes === 'missing' || changes === 'too_wide')
    return (await applyListing(draft, step, target.gitDir, signal)) === 0;
  for (const { status, path } of changes) if (status !== 'A') draft.remove(step.bit, path);
  for (const change of changes) if (change.status !== 'D') draft.add(step.bit, { ...change, bytes: 0 });
  return true;
}

/** Applies a full listing of a branch. Returns the number of forged names. */
async function applyListing(
  draft: IndexDraft,
  { bit, commit }: BranchStep,
  gitDir: string,
  signal: AbortSignal,
): Promise<number> {
  let unsafe = 0;
  draft.clear(bit);
  for await (const entry of listTree(gitDir, commit, signal)) {
    if (entry.unsafe) unsafe += 1;
    else draft.add(bit, entry);
  }
  return unsafe;
}
