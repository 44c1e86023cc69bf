import { languageOf } from '../../language.ts';
import { isAlive } from '../read/segment-state.ts';
import { isLink, type PlannedFile } from '../segment/planned-file.ts';
import type { DraftSegment } from './draft-segment.ts';

interface Orphan {
  readonly segment: DraftSegment;
  readonly document: number;
}

/**
 * Takes files whose bytes lie in a document that this update leaves on no branch: the document gets their path and
 * branches. It must be what it would be if it were indexed anew: of the same language and static rank. True for a file
 * that was taken.
 */
export function moveDocuments(segments: readonly DraftSegment[]): (file: PlannedFile) => boolean {
  const orphans = Map.groupBy(newlyDead(segments), ({ segment, document }) =>
    segment.segment.documents.oid(document),
  );
  return (file) => {
    const candidates = orphans.get(file.oid) ?? [];
    const found = candidates.findIndex((orphan) => fits(orphan, file));
    const [orphan] = found < 0 ? [] : candidates.splice(found, 1);
    if (orphan === undefined) return false;
    const { segment, document } = orphan;
    [segment.next.low[document], segment.next.high[document]] = file.branches;
    if (segment.segment.documents.path(document) === file.path) segment.next.renamed.delete(document);
    else segment.next.renamed.set(document, file.path);
    return true;
  };
}

function* newlyDead(segments: readonly DraftSegment[]): Generator<Orphan> {
  for (const segment of segments) {
    for (let document = 0; document < segment.segment.documents.count; document++) {
      if (isAlive(segment.state, document) && !isAlive(segment.next, document)) yield { segment, document };
    }
  }
}

function fits({ segment: { segment }, document }: Orphan, file: PlannedFile): boolean {
  const { documents } = segment;
  return (
    documents.ranks[document] === file.rank &&
    documents.language(document) === languageOf(file.path) &&
    isLink(documents.skipped[document]!) === isLink(file.skipped)
  );
}
