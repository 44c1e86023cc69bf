import { setImmediate as nextTick } from 'node:timers/promises';
import type { BlobReader } from '../../../../foundation/git/objects/blob-reader.ts';
import type { Definition } from '../../port.ts';
import { skipCodes } from '../format/segment-sections.ts';
import { staticRank } from '../format/static-rank.ts';
import { isAlive } from '../read/segment-state.ts';
import { definitionsIfRead } from '../read/tables/symbol-table.ts';
import type { PlannedFile } from '../segment/planned-file.ts';
import type { DraftSegment } from './draft-segment.ts';

type ReadBlob = Pick<BlobReader, 'read'>;

/** Maximum time before yielding to the event loop, in milliseconds, because segments are read synchronously. */
const maxBlockMs = 10;

/** Documents of segments as files to rewrite, with their definitions, and a reader of their text without Git. */
export interface StoredDocuments {
  /** In no particular order. */
  readonly files: readonly PlannedFile[];
  /** Reads stored blobs; other blobs are read with `reader`. */
  readonly blobs: ReadBlob;
}

/**
 * Collects the live documents of segments. @throws DamagedSegment from `blobs`, if a text does not match its checksum
 */
export function storedDocuments(segments: readonly DraftSegment[], reader?: ReadBlob): StoredDocuments {
  const files: PlannedFile[] = [];
  const places = new Map<string, () => Buffer>();
  for (const { segment, symbols, next } of segments) {
    const { documents } = segment;
    for (let document = 0; document < documents.count; document++) {
      if (!isAlive(next, document)) continue;
      const path = next.renamed.get(document) ?? documents.path(document);
      const [oid, skipped] = [documents.oid(document), documents.skipped[document]!];
      const branches = [next.low[document]!, next.high[document]!] as const;
      const definitions = (): readonly Definition[] | undefined => definitionsIfRead(symbols.table, document);
      files.push({ path, oid, rank: staticRank(path), skipped, branches, definitions });
      if (skipped !== skipCodes.none) continue;
      const { firstUnit } = documents;
      places.set(oid, () => segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!));
    }
  }
  let yieldedAt = performance.now();
  const read: ReadBlob['read'] = async (oid, maxBytes) => {
    const place = places.get(oid);
    if (place === undefined) return reader === undefined ? 'missing' : reader.read(oid, maxBytes);
    if (performance.now() - yieldedAt > maxBlockMs) {
      await nextTick();
      yieldedAt = performance.now();
    }
    return place();
  };
  return { files, blobs: { read } };
}
