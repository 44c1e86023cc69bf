import type { BlobReader } from '../../../../foundation/git/blob-reader.ts';
import { changedFiles } from '../../../../foundation/git/changed-files.ts';
import { listTree } from '../../../../foundation/git/objects.ts';
import type { BranchHead } from '../../port.ts';
import { branchesOf, type ManifestBranch } from '../format/manifest.ts';
import { UNSAFE_NAME } from '../format/segment-sections.ts';
import type { PlannedFile } from '../segment/planned-file.ts';
import { assignBranches, type BranchStep } from './assign-branches.ts';
import type { CurrentIndex } from './current-index.ts';
import type { DraftSegment } from './draft-segment.ts';
import { draftIndex, type IndexDraft } from './index-draft.ts';

/** What has to happen to bring an index to some commits. */
export interface Update {
  readonly branches: ManifestBranch[];
  readonly segments: readonly DraftSegment[];
  /** What no document holds yet, in static order. */
  readonly added: readonly PlannedFile[];
  /** Entries of the commits that are left out for their forged names. */
  readonly unsafe: number;
}

interface Target {
  readonly gitDir: string;
  readonly branches: readonly [BranchHead, ...BranchHead[]];
}

/**
 * Compares commits where it can, and looks at no more than what differs. A branch whose former commit is gone (after
 * a force-push), or in which a folder differs that is too wide to be compared, is listed and compared by blob ids; so
 * are all of them where names are forged, since only a listing counts those. Without a present index the default branch
 * is listed, and the others compared with it.
 * @throws InvalidInput `too_many_files`, GitError `damaged`
 */
export async function planUpdate(
  current: CurrentIndex | undefined,
  target: Target,
  reader: Pick<BlobReader, 'readTree'>,
  signal: AbortSignal,
): Promise<Update> {
  const present = current === undefined ? [] : branchesOf(current.manifest);
  const { steps, freed } = assignBranches(present, target.branches);
  const branches = steps.map(({ name, commit, bit }) => ({ name, commit, bit }));
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
  const isForged = current?.manifest.skipped[UNSAFE_NAME] !== undefined;
  const draft = begin();
  if (!isForged && (await followChanges(draft, steps, { target, reader, signal }))) return settled(draft, 0);
  const listed = begin();
  let unsafe = 0;
  for (const step of steps) unsafe += await followListing(listed, step, target.gitDir, signal);
  return settled(listed, unsafe);
}

interface Sources {
  readonly target: Target;
  readonly reader: Pick<BlobReader, 'readTree'>;
  readonly signal: AbortSignal;
}

/** False where names are forged. */
async function followChanges(
  draft: IndexDraft,
  [first, ...others]: readonly [BranchStep, ...BranchStep[]],
  sources: Sources,
): Promise<boolean> {
  if (!(await followStep(draft, first, first.from, sources))) return false;
  for (const step of others) {
    // A new branch differs least from the default one.
    if (step.from === undefined) draft.copy(first.bit, step.bit);
    if (!(await followStep(draft, step, step.from ?? first.commit, sources))) return false;
  }
  return true;
}

async function followStep(
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
    return (await followListing(draft, step, target.gitDir, signal)) === 0;
  for (const { status, path } of changes) if (status !== 'A') draft.leave(step.bit, path);
  for (const change of changes) if (change.status !== 'D') draft.enter(step.bit, { ...change, bytes: 0 });
  return true;
}

/** Gives the number of forged names. */
async function followListing(
  draft: IndexDraft,
  { bit, commit }: BranchStep,
  gitDir: string,
  signal: AbortSignal,
): Promise<number> {
  let unsafe = 0;
  draft.clear(bit);
  for await (const entry of listTree(gitDir, commit, signal)) {
    if (entry.unsafe) unsafe += 1;
    else draft.enter(bit, entry);
  }
  return unsafe;
}
