import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SegmentEntry } from '../format/manifest.ts';
import { type Codec, SECTIONS, type SegmentMeta, SKIP, UNIT_FLAGS } from '../format/segment-sections.ts';
import { SegmentWriter } from '../format/segment-writer.ts';
import type { Collectors } from './collectors.ts';
import { contentWriter } from './content-writer.ts';
import type { UnitCut } from './cut-units.ts';
import { type DocumentRow, encodeDocuments, encodePaths, encodeUnits } from './encode-tables.ts';

/**
 * Of text and paths. Memory while building grows with the text of one segment: about one and a half bytes for each of
 * its bytes; its paths lie in memory as long as somebody searches it.
 */
const SEGMENT_BYTES = 32 * 1024 * 1024;
/** Numbers of units and documents fit 16 bits. */
const MOST_ENTRIES = 65_000;

export interface IndexedDocument {
  readonly path: string;
  readonly oid: string;
  readonly rank: number;
  readonly language: string;
  /** Why there is no text, as a code of `SKIP`. */
  readonly skipped: number;
  /** Branches 0 to 31 and 32 to 63, a bit each. */
  readonly branches: readonly [low: number, high: number];
  /** Empty where skipped. */
  readonly text: Buffer;
}

export interface OpenSegment {
  isFull(bytes: number, units: number): boolean;
  add(document: IndexedDocument, units: readonly UnitCut[]): void;
  /** Lets other work run in between; nothing may be added meanwhile. */
  finish(): Promise<Omit<SegmentEntry, 'kind' | 'dead'>>;
  abandon(): void;
}

export interface SegmentPlace {
  readonly folder: string;
  /** Of the file's name. */
  readonly prefix: string;
  readonly codec: Codec;
}

export function openSegment(
  { folder, prefix, codec }: SegmentPlace,
  oidBytes: number,
  { trigrams, terms, symbols }: Collectors,
): OpenSegment {
  const file = `${prefix}-${randomBytes(4).toString('hex')}.seg`;
  const writer = new SegmentWriter(join(folder, file));
  const content = contentWriter(codec, writer.begin(SECTIONS.content));
  const units = {
    offsets: [0],
    checksums: [] as number[],
    firstLines: [] as number[],
    flags: [] as number[],
  };
  const documents: DocumentRow[] = [];
  const languages = new Map<string, number>();
  let pathBytes = 0;

  const addUnit = (text: Buffer, cut: UnitCut): void => {
    const bytes = text.subarray(cut.start, cut.end);
    content.add(bytes);
    trigrams.addUnit(bytes, (cut.flags & UNIT_FLAGS.ascii) !== 0);
    units.offsets.push(units.offsets.at(-1)! + bytes.length);
    units.checksums.push(crc32(bytes));
    units.firstLines.push(cut.firstLine);
    units.flags.push(cut.flags);
  };

  return {
    isFull: (bytes, count) =>
      units.offsets.at(-1)! + pathBytes + bytes > SEGMENT_BYTES ||
      units.flags.length + count > MOST_ENTRIES ||
      documents.length >= MOST_ENTRIES ||
      trigrams.isFull() ||
      terms.isFull(),
    add: (document, cuts) => {
      if (!languages.has(document.language)) languages.set(document.language, languages.size);
      // Without the text, whose memory is the next chunk's.
      const { text, language, ...row } = document;
      documents.push({
        ...row,
        language: languages.get(language)!,
        firstUnit: units.flags.length,
        bytes: text.length,
      });
      pathBytes += Buffer.byteLength(row.path);
      for (const cut of cuts) addUnit(document.text, cut);
      symbols.addDocument(documents.length - 1, document.language, document.text);
      // Nobody asks the content of a skipped file; its path does not speak for an answer either.
      terms.addDocument(document.skipped === SKIP.none ? document.path : '', document.text);
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
      if (blocks !== undefined) writer.section(SECTIONS.blocks, blocks);
      writer.section(SECTIONS.meta, Buffer.from(JSON.stringify(meta)));
      writer.section(SECTIONS.units, encodeUnits(units));
      writer.section(SECTIONS.documents, encodeDocuments(documents, units.flags.length));
      writer.section(SECTIONS.paths, encodePaths(documents));
      writer.section(SECTIONS.trigrams, await trigrams.encode(writer.begin(SECTIONS.postings)));
      writer.section(SECTIONS.terms, await terms.encode(writer.begin(SECTIONS.termPostings)));
      writer.section(SECTIONS.symbols, symbols.encode(documents.length));
      return { file, documents: documents.length, ...(await writer.finish()) };
    },
    abandon: () => {
      writer.close();
      rmSync(join(folder, file), { force: true });
    },
  };
}
