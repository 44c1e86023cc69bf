import { addToBranch, isOnBranch, removeFromBranch, type SegmentState } from '../read/segment-state.ts';
import { inStaticOrder, isLink, type PlannedFile, plannedFile } from '../segment/planned-file.ts';
import type { CurrentSegment } from './current-index.ts';
import type { DraftSegment } from './draft-segment.ts';
import { moveDocuments } from './moved-documents.ts';
import { pendingFiles } from './pending-files.ts';

/** A file, link or submodule of a commit; `bytes` is 0 if the size was not read. */
export type CommitEntry = Parameters<typeof plannedFile>[0];

/** The planned documents of the next generation. Writes nothing and does not change the current one. */
export interface IndexDraft {
  readonly segments: readonly DraftSegment[];
  /** Removes all documents from a branch. */
  clear(bit: number): void;
  /** Copies the documents of branch `from` to the empty branch `to`. */
  copy(from: number, to: number): void;
  /** Removes the documents at a path from a branch. */
  remove(bit: number, path: string): void;
  /** Adds an entry to a branch. */
  add(bit: number, entry: CommitEntry): void;
  /**
   * Returns the files without a document, in static order. A moved file keeps its document, which gets the new path.
   * Must be called once, at the end.
   */
  settle(): readonly PlannedFile[];
}

export function draftIndex(present: readonly CurrentSegment[]): IndexDraft {
  const segments = present.map((segment) => ({ ...segment, next: copyState(segment.state) }));
  const documentsAt = segments.map(pathLookup);
  const pending = pendingFiles();
  const each = (visit: (state: SegmentState, document: number) => void): void => {
    for (const { segment, next } of segments) {
      for (let document = 0; document < segment.documents.count; document++) visit(next, document);
    }
  };
  return {
    segments,
    clear: (bit) => {
      each((state, document) => removeFromBranch(state, document, bit));
      pending.clear(bit);
    },
    copy: (from, to) => {
      each((state, document) => {
        if (isOnBranch(state, document, from)) addToBranch(state, document, to);
      });
      pending.copy(from, to);
    },
    remove: (bit, path) => {
      segments.forEach(({ next }, index) => {
        for (const document of documentsAt[index]!(path)) removeFromBranch(next, document, bit);
      });
      pending.remove(bit, path);
    },
    add: (bit, entry) => {
      const file = plannedFile(entry);
      for (const [index, segment] of segments.entries()) {
        const document = documentsAt[index]!(file.path).find((number) => isSameFile(segment, number, file));
        if (document === undefined) continue;
        addToBranch(segment.next, document, bit);
        return;
      }
      pending.add(bit, file);
    },
    settle: () => {
      const isMoved = moveDocuments(segments);
      return pending
        .all()
        .toSorted(inStaticOrder)
        .filter((file) => !isMoved(file));
    },
  };
}

function copyState({ low, high, renamed }: SegmentState): SegmentState {
  return { low: low.slice(), high: high.slice(), renamed: new Map(renamed) };
}

/** Returns a look-up of the documents at a path, including dead ones, so that a restored file reuses its document. */
function pathLookup({ segment, state }: CurrentSegment): (path: string) => number[] {
  const moved = Map.groupBy(state.renamed.keys(), (document) => state.renamed.get(document)!);
  return (path) => [
    ...segment.documents.find(path).filter((document) => !state.renamed.has(document)),
    ...(moved.get(path) ?? []),
  ];
}

/** Returns whether a document has the same content and the same kind of entry. */
function isSameFile({ segment }: DraftSegment, document: number, file: PlannedFile): boolean {
  const { documents } = segment;
  return (
    documents.oid(document) === file.oid && isLink(documents.skipped[document]!) === isLink(file.skipped)
  );
}
