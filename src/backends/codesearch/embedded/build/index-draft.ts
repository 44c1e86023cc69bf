import { isOnBranch, putOnBranch, type SegmentState, takeOffBranch } from '../read/segment-state.ts';
import { inStaticOrder, isLink, type PlannedFile, plannedFile } from '../segment/planned-file.ts';
import type { CurrentSegment } from './current-index.ts';
import type { DraftSegment } from './draft-segment.ts';
import { moveDocuments } from './moved-documents.ts';
import { pendingFiles } from './pending-files.ts';

/** A file, link or submodule of a commit; `bytes` is 0 where nobody asked. */
export type CommitEntry = Parameters<typeof plannedFile>[0];

/** The documents of the next generation while it is thought out. Nothing is written, and the present one not changed. */
export interface IndexDraft {
  readonly segments: readonly DraftSegment[];
  /** Nothing is on the branch any more. */
  clear(bit: number): void;
  /** `to`, which is empty, is where `from` is. */
  copy(from: number, to: number): void;
  leave(bit: number, path: string): void;
  enter(bit: number, entry: CommitEntry): void;
  /**
   * The files that have no document yet, in static order. What only moved has one: its document gets the new path.
   * Called once, at the end.
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
      each((state, document) => takeOffBranch(state, document, bit));
      pending.clear(bit);
    },
    copy: (from, to) => {
      each((state, document) => {
        if (isOnBranch(state, document, from)) putOnBranch(state, document, to);
      });
      pending.copy(from, to);
    },
    leave: (bit, path) => {
      segments.forEach(({ next }, index) => {
        for (const document of documentsAt[index]!(path)) takeOffBranch(next, document, bit);
      });
      pending.leave(bit, path);
    },
    enter: (bit, entry) => {
      const file = plannedFile(entry);
      for (const [index, segment] of segments.entries()) {
        const document = documentsAt[index]!(file.path).find((number) => holds(segment, number, file));
        if (document === undefined) continue;
        putOnBranch(segment.next, document, bit);
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

/** The documents at a path, dead ones too: what comes back finds its own. */
function pathLookup({ segment, state }: CurrentSegment): (path: string) => number[] {
  const moved = Map.groupBy(state.renamed.keys(), (document) => state.renamed.get(document)!);
  return (path) => [
    ...segment.documents.find(path).filter((document) => !state.renamed.has(document)),
    ...(moved.get(path) ?? []),
  ];
}

/** The same bytes, seen as the same kind of entry. */
function holds({ segment }: DraftSegment, document: number, file: PlannedFile): boolean {
  const { documents } = segment;
  return (
    documents.oid(document) === file.oid && isLink(documents.skipped[document]!) === isLink(file.skipped)
  );
}
