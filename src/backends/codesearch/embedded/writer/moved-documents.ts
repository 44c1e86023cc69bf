import { languageOfName } from '../../../languages/port.ts';
import { isAlive } from '../read/segment-state.ts';
import { isLink, type PlannedFile } from '../segment/planned-file.ts';
import type { DraftSegment } from './draft-segment.ts';

interface Orphan {
  readonly segment: DraftSegment;
  readonly document: number;
}

/**
 * Creates a function that assigns moved files to documents with the same content that this update removed from every
 * branch: the document gets the path and the branches of the file. It must have the language and the static rank that
 * the new path requires. The function returns true if the file was assigned.
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

/**
 * Returns whether a document has the language that its new path requires. Where neither path decides it, the content
 * did, which is the same.
 */
function hasLanguageFor(path: string, language: string, before: string): boolean {
  const named = languageOfName(path);
  return named === undefined ? languageOfName(before) === undefined : named === language;
}

function fits({ segment: { segment }, document }: Orphan, file: PlannedFile): boolean {
  const { documents } = segment;
  return (
    documents.ranks[document] === file.rank &&
    hasLanguageFor(file.path, documents.language(document), documents.path(document)) &&
    isLink(documents.skipped[document]!) === isLink(file.skipped)
  );
}
