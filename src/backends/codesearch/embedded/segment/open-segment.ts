import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Definition } from '../../port.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import {
  type Codec,
  type SegmentMeta,
  sectionIds,
  skipCodes,
  unitFlags,
} from '../format/segment-sections.ts';
import { SegmentWriter } from '../format/segment-writer.ts';
import { writeSymbols } from '../format/symbols-file.ts';
import type { Collectors } from './collectors.ts';
import { contentWriter } from './content-writer.ts';
import type { UnitCut } from './cut-units.ts';
import { type DocumentRow, encodeDocuments, encodePaths, encodeUnits } from './encode-tables.ts';

/**
 * Maximum size of the text and paths of one segment, in bytes. Building uses about one and a half bytes of memory per
 * byte of text; paths stay in memory while the segment is searched.
 */
const segmentBytes = 32 * 1024 * 1024;
/** Maximum number of units and of documents; both must fit 16 bits. */
const maxEntries = 65_000;

export interface IndexedDocument {
  readonly path: string;
  readonly oid: string;
  readonly rank: number;
  readonly language: string;
  /** Reason without text, as a value of `skipCodes`. */
  readonly skipped: number;
  /** Bit masks of branches 0 to 31 and 32 to 63. */
  readonly branches: readonly [low: number, high: number];
  /** Empty if the file is skipped. */
  readonly text: Buffer;
  /** `unread` if they are read later. Default: the language has none. */
  readonly definitions?: readonly Definition[] | 'unread' | undefined;
}

export interface OpenSegment {
  isFull(bytes: number, units: number): boolean;
  add(document: IndexedDocument, units: readonly UnitCut[]): void;
  /** Writes the segment to disk. Yields to the event loop in between; nothing may be added until it resolves. */
  finish(): Promise<Omit<SegmentEntry, 'kind' | 'dead'>>;
  /** Discards the segment and deletes its file. */
  abandon(): void;
}

export interface SegmentPlace {
  readonly folder: string;
  readonly kind: SegmentEntry['kind'];
  readonly generation: number;
  readonly codec: Codec;
}

export function openSegment(
  { folder, kind, generation, codec }: SegmentPlace,
  oidBytes: number,
  { trigrams, terms, symbols }: Collectors,
): OpenSegment {
  const file = `${kind}-${generation}-${randomBytes(4).toString('hex')}.seg`;
  const writer = new SegmentWriter(join(folder, file));
  const content = contentWriter(codec, writer.begin(sectionIds.content));
  const units = {
    offsets: [0],
    checksums: [] as number[],
    firstLines: [] as number[],
    flags: [] as number[],
  };
  const documents: DocumentRow[] = [];
  const languages = new Map<string, number>();
  let pathBytes = 0;
  let withoutDefinitions = 0;

  const addUnit = (text: Buffer, cut: UnitCut): void => {
    const bytes = text.subarray(cut.start, cut.end);
    content.add(bytes);
    trigrams.addUnit(bytes, (cut.flags & unitFlags.ascii) !== 0);
    units.offsets.push(units.offsets.at(-1)! + bytes.length);
    units.checksums.push(crc32(bytes));
    units.firstLines.push(cut.firstLine);
    units.flags.push(cut.flags);
  };

  return {
    isFull: (bytes, count) =>
      units.offsets.at(-1)! + pathBytes + bytes > segmentBytes ||
      units.flags.length + count > maxEntries ||
      documents.length >= maxEntries ||
      trigrams.isFull() ||
      terms.isFull(),
    add: (document, cuts) => {
      if (!languages.has(document.language)) languages.set(document.language, languages.size);
      // The text is excluded, because its memory is reused.
      const { text, language, definitions, ...row } = document;
      documents.push({
        ...row,
        language: languages.get(language)!,
        firstUnit: units.flags.length,
        bytes: text.length,
      });
      pathBytes += Buffer.byteLength(row.path);
      for (const cut of cuts) addUnit(document.text, cut);
      if (definitions === 'unread') withoutDefinitions++;
      else if (definitions !== undefined) symbols.addDocument(documents.length - 1, definitions);
      // A skipped file has no searchable content, and its path must not raise its rank either.
      terms.addDocument(document.skipped === skipCodes.none ? document.path : '', document.text);
    },
    finish: async () => {
      const meta: SegmentMeta = {
        documents: documents.length,
        units: units.flags.length,
        oidBytes: oidBytes === 32 ? 32 : 20,
        codec,
        languages: [...languages.keys()],
      };
      const blocks = content.finish();
      if (blocks !== undefined) writer.section(sectionIds.blocks, blocks);
      writer.section(sectionIds.meta, Buffer.from(JSON.stringify(meta)));
      writer.section(sectionIds.units, encodeUnits(units));
      writer.section(sectionIds.documents, encodeDocuments(documents, units.flags.length));
      writer.section(sectionIds.paths, encodePaths(documents));
      writer.section(sectionIds.trigrams, await trigrams.encode(writer.begin(sectionIds.postings)));
      writer.section(sectionIds.terms, await terms.encode(writer.begin(sectionIds.termPostings)));
      const written = { file, documents: documents.length, ...(await writer.finish()), withoutDefinitions };
      const known = symbols.encode(documents.length);
      if (known === undefined) return written;
      return { ...written, symbols: writeSymbols(folder, file, generation, known) };
    },
    abandon: () => {
      writer.close();
      rmSync(join(folder, file), { force: true });
    },
  };
}
