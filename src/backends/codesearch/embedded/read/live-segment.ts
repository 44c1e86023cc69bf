import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { BranchHead } from '../../port.ts';
import { type Bits, emptyBits, hasBit, setBit } from '../format/bits.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import type { OpenSymbols } from './open-symbols.ts';
import type { PreparedHistory } from './prepared-history.ts';
import type { Segment } from './segment.ts';
import { isAlive, isOnBranch, type SegmentState } from './segment-state.ts';
import { isSearchable } from './tables/document-table.ts';

/** A segment as it is in one generation of a repository. */
export interface LiveSegment extends SegmentView {
  readonly repositoryId: RepositoryId;
  /** The name given by the caller. Default: the id. */
  readonly repositoryName: string;
  /** Name of the default branch; `commit` is its commit. */
  readonly branch: string;
  readonly commit: string;
  /** All indexed branches, the default branch first. */
  readonly branches: readonly IndexedBranch[];
  /** Returns the history of past commits, or `undefined` if it is not available (yet). It is read on demand. */
  readonly history: () => PreparedHistory | undefined;
}

export interface IndexedBranch extends BranchHead {
  /** Bit of the branch in the masks of documents; 0 for the default branch. */
  readonly bit: number;
}

/** The state of a segment in a generation, prepared for queries. */
export interface SegmentView {
  readonly segment: Segment;
  readonly symbols: OpenSymbols;
  /** True if definitions of its documents are still to be read. */
  readonly lacksDefinitions: boolean;
  /** Searchable documents of the default branch: those with content that no later commit replaced. */
  readonly documents: Bits;
  /** Searchable documents of any branch. */
  readonly documentsOfAll: Bits;
  /** Returns the searchable documents of the branch with this bit. */
  onBranch(bit: number): Bits;
  /** Returns the current path of the document. A rename does not change the segment. */
  path(document: number): string;
  /** Returns the searchable documents of the default branch with this current path. */
  documentsAt(path: string): readonly number[];
  /** Current paths of the documents that were renamed after the segment was written. */
  readonly renamed: ReadonlyMap<number, string>;
}

/** Returns a segment as a generation has it. */
export function viewSegment(
  { withoutDefinitions }: SegmentEntry,
  segment: Segment,
  symbols: OpenSymbols,
  state: SegmentState,
): SegmentView {
  const byBranch = new Map<number, Bits>();
  const onBranch = (bit: number): Bits => {
    const known =
      byBranch.get(bit) ?? searchableDocuments(segment, (document) => isOnBranch(state, document, bit));
    byBranch.set(bit, known);
    return known;
  };
  const path = (document: number): string => state.renamed.get(document) ?? segment.documents.path(document);
  const documents = onBranch(0);
  const renamedTo = Map.groupBy(state.renamed.keys(), (document) => path(document));
  /**
   * The documents of the paths that were asked for: questions ask for those of many past commits, mostly the same ones.
   */
  const byPath = new Map<string, readonly number[]>();
  const documentsAt = (wanted: string): readonly number[] => {
    const known = byPath.get(wanted);
    if (known !== undefined) return known;
    const all = new Set([...segment.documents.find(wanted), ...(renamedTo.get(wanted) ?? [])]);
    const found = [...all].filter((document) => hasBit(documents, document) && path(document) === wanted);
    if (byPath.size < segment.documents.count) byPath.set(wanted, found);
    return found;
  };
  return {
    segment,
    symbols,
    lacksDefinitions: withoutDefinitions > 0,
    documents,
    documentsOfAll: searchableDocuments(segment, (document) => isAlive(state, document)),
    onBranch,
    path,
    documentsAt,
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
