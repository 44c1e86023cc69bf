import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { BranchHead } from '../../port.ts';
import { type Bits, emptyBits, setBit } from '../format/bits.ts';
import type { History } from '../format/history-file.ts';
import { isSearchable } from './document-table.ts';
import type { Segment } from './segment.ts';
import { isAlive, isOnBranch, type SegmentState } from './segment-state.ts';

/** A segment as one generation of a repository sees it. */
export interface LiveSegment extends SegmentView {
  readonly repositoryId: RepositoryId;
  /** As the caller named it; the id where it did not. */
  readonly repositoryName: string;
  /** Of the default branch, as is `commit`. */
  readonly branch: string;
  readonly commit: string;
  /** All that are indexed, the default branch first. */
  readonly branches: readonly IndexedBranch[];
  /** What past commits of the repository said; `undefined` where that is not known (yet). Read when it is asked for. */
  readonly history: () => History | undefined;
}

export interface IndexedBranch extends BranchHead {
  /** Of the masks of documents; 0 for the default branch. */
  readonly bit: number;
}

/** What a generation says about a segment, made ready for questions. */
export interface SegmentView {
  readonly segment: Segment;
  /** Documents of the default branch to answer from: with content, and not replaced by a later commit. */
  readonly documents: Bits;
  /** The same of any branch. */
  readonly documentsOfAll: Bits;
  /** The same of the branch with this bit. */
  onBranch(bit: number): Bits;
  /** Where the document lies by now: a rename leaves the segment as it is. */
  path(document: number): string;
  /** The documents of which `path` says something else than the segment. */
  readonly renamed: ReadonlyMap<number, string>;
}

export function viewSegment(segment: Segment, state: SegmentState): SegmentView {
  const byBranch = new Map<number, Bits>();
  const onBranch = (bit: number): Bits => {
    const known =
      byBranch.get(bit) ?? searchableDocuments(segment, (document) => isOnBranch(state, document, bit));
    byBranch.set(bit, known);
    return known;
  };
  return {
    segment,
    documents: onBranch(0),
    documentsOfAll: searchableDocuments(segment, (document) => isAlive(state, document)),
    onBranch,
    path: (document) => state.renamed.get(document) ?? segment.documents.path(document),
    renamed: state.renamed,
  };
}

function searchableDocuments({ documents }: Segment, holds: (document: number) => boolean): Bits {
  const found = emptyBits(documents.count);
  for (let document = 0; document < documents.count; document++) {
    if (isSearchable(documents, document) && holds(document)) setBit(found, document);
  }
  return found;
}
