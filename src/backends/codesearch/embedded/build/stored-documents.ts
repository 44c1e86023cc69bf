import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobReader } from '../../../../foundation/git/blob-reader.ts';
import { SKIP } from '../format/segment-sections.ts';
import { staticRank } from '../format/static-rank.ts';
import { isAlive } from '../read/segment-state.ts';
import type { PlannedFile } from '../segment/planned-file.ts';
import type { DraftSegment } from './draft-segment.ts';

type ReadBlob = Pick<BlobReader, 'read'>;

/** Segments are read without waiting; others want their turn after so many milliseconds. */
const MOST_MS_OF_A_TURN = 10;

/** Documents of segments as files to be written again, and the text of those, which needs no Git. */
export interface StoredDocuments {
  /** In no order. */
  readonly files: readonly PlannedFile[];
  /** Of a blob that is not stored, `reader` is asked. */
  readonly blobs: ReadBlob;
}

/** @throws DamagedSegment from `blobs`, where the text is not what was written */
export function storedDocuments(segments: readonly DraftSegment[], reader?: ReadBlob): StoredDocuments {
  const files: PlannedFile[] = [];
  const places = new Map<string, () => Buffer>();
  for (const { segment, next } of segments) {
    const { documents } = segment;
    for (let document = 0; document < documents.count; document++) {
      if (!isAlive(next, document)) continue;
      const path = next.renamed.get(document) ?? documents.path(document);
      const [oid, skipped] = [documents.oid(document), documents.skipped[document]!];
      const branches = [next.low[document]!, next.high[document]!] as const;
      files.push({ path, oid, rank: staticRank(path), skipped, branches });
      if (skipped !== SKIP.none) continue;
      const { firstUnit } = documents;
      places.set(oid, () => segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!));
    }
  }
  let since = performance.now();
  const read: ReadBlob['read'] = async (oid, maxBytes) => {
    const place = places.get(oid);
    if (place === undefined) return reader === undefined ? 'missing' : reader.read(oid, maxBytes);
    if (performance.now() - since > MOST_MS_OF_A_TURN) {
      await nextTurn();
      since = performance.now();
    }
    return place();
  };
  return { files, blobs: { read } };
}
