import type { DefinitionReader } from '../../definition-reader.ts';
import { isAlive } from '../read/segment-state.ts';
import type { CurrentSegment } from './current-index.ts';
import type { DraftSegment } from './draft-segment.ts';

/** Returns the documents on branches whose definitions can be read and are not read yet. */
export function documentsToDefine(
  { segment: { documents }, symbols, state }: Pick<CurrentSegment, 'segment' | 'symbols' | 'state'>,
  reader: Pick<DefinitionReader, 'supports'>,
): number[] {
  const found: number[] = [];
  for (let document = 0; document < documents.count; document++) {
    if (!isAlive(state, document) || documents.sizes[document] === 0) continue;
    if (symbols.table.isRead(document) || !reader.supports(documents.language(document))) continue;
    found.push(document);
  }
  return found;
}

/** Returns the number of such documents in the next generation. */
export function countToDefine(draft: DraftSegment, reader: Pick<DefinitionReader, 'supports'>): number {
  // Loading the table takes milliseconds, and only a document that returns to a branch can lack definitions.
  return draft.entry.withoutDefinitions === 0 && !hasRevived(draft)
    ? 0
    : documentsToDefine({ ...draft, state: draft.next }, reader).length;
}

function hasRevived({ segment: { documents }, state, next }: DraftSegment): boolean {
  for (let document = 0; document < documents.count; document++) {
    if (isAlive(next, document) && !isAlive(state, document)) return true;
  }
  return false;
}
