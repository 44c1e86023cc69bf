import { isAscii } from 'node:buffer';
import { type DefinedSymbol, type SymbolKind, symbolKinds } from '../../port.ts';
import { decodeColumns, encodeColumns } from '../format/columns.ts';
import { decodeSymbolStreams, KIND_BITS } from '../format/symbol-section.ts';
import { readVarint, type VarintCursor } from '../format/varint.ts';
import { lowerBound } from './lower-bound.ts';

const NEWLINE = 0x0a;
const KIND_MASK = (1 << KIND_BITS) - 1;

/** The definitions of a segment. */
export interface SymbolTable {
  /** All names, a newline behind each, document after document; bytes of UTF-8. */
  readonly names: Buffer;
  readonly namesAreAscii: boolean;
  /** The document that defines the name at an offset into `names`. */
  documentAt(offset: number): number;
  /** One more than documents: the names of `d` are the bytes `[firstName[d], firstName[d + 1])`. */
  readonly firstName: Uint32Array;
  /** The definition with its name at an offset into `names`. */
  at(offset: number): PlacedSymbol;
  /** The definitions of a document with these numbers, the first 0; `numbers` ascend. One pass, however many there are. */
  numbered(document: number, numbers: readonly number[]): PlacedSymbol[];
  /** What a document defines on these lines, 1-based; of two on one line the first. */
  onLines(document: number, lines: ReadonlySet<number>): ReadonlyMap<number, DefinedSymbol>;
}

export interface PlacedSymbol extends DefinedSymbol {
  /** 1-based. */
  readonly line: number;
}

/**
 * The section with its streams decompressed, as columns: offset of the names of each document and the end (u32), the
 * same of its places (u32), names, places.
 * @throws RangeError where the section does not fit the documents
 */
export function unpackSymbols(
  section: ArrayBufferLike,
  documents: number,
  room: (bytes: number) => ArrayBufferLike,
): ArrayBufferLike {
  const { sizes, places, names } = decodeSymbolStreams(section);
  const firstName = new Uint32Array(documents + 1);
  const firstPlace = new Uint32Array(documents + 1);
  const cursor = { bytes: sizes, at: 0 };
  for (let document = 0; document < documents; document++) {
    readVarint(cursor);
    firstPlace[document + 1] = firstPlace[document]! + readVarint(cursor);
    firstName[document + 1] = firstName[document]! + readVarint(cursor);
  }
  const columns = [firstName, firstPlace, names(firstName[documents]!), places(firstPlace[documents]!)];
  const unpacked = encodeColumns(columns, (bytes) => Buffer.from(room(bytes)));
  return unpacked.buffer;
}

/** `unpacked`: what `unpackSymbols` gave. */
export function symbolTable(unpacked: ArrayBufferLike): SymbolTable {
  const columns = decodeColumns(unpacked);
  const [firstName, firstPlace, places] = [columns.u32(0), columns.u32(1), columns.u8(3)];
  const { byteOffset, length } = columns.u8(2);
  const names = Buffer.from(unpacked, byteOffset, length);
  const documents = firstName.length - 1;
  const documentAt = (offset: number): number =>
    lowerBound(documents, (document) => firstName[document + 1]! > offset);
  const placesOf = (document: number): PlaceCursor => ({
    places: { bytes: places, at: firstPlace[document]! },
    end: firstPlace[document + 1]!,
  });
  const numbered = (document: number, numbers: readonly number[]): PlacedSymbol[] => {
    const found: PlacedSymbol[] = [];
    let start = firstName[document]!;
    for (const { index, line, kind } of eachPlace(placesOf(document))) {
      if (found.length === numbers.length) break;
      const end = names.indexOf(NEWLINE, start);
      if (index === numbers[found.length])
        found.push({ name: names.toString('utf8', start, end), kind, line });
      start = end + 1;
    }
    return found;
  };
  return {
    names,
    namesAreAscii: isAscii(names),
    firstName,
    documentAt,
    at: (offset) => {
      const document = documentAt(offset);
      return numbered(document, [countNewlines(names, firstName[document]!, offset)])[0]!;
    },
    numbered,
    onLines: (document, lines) => {
      const found = new Map<number, DefinedSymbol>();
      let start = firstName[document]!;
      let index = 0;
      for (const place of eachPlace(placesOf(document))) {
        if (!lines.has(place.line) || found.has(place.line)) continue;
        for (; index < place.index; index++) start = names.indexOf(NEWLINE, start) + 1;
        found.set(place.line, { name: nameFrom(names, start), kind: place.kind });
      }
      return found;
    },
  };
}

interface PlaceCursor {
  readonly places: VarintCursor;
  readonly end: number;
}

interface Place {
  /** Among the definitions of its document. */
  readonly index: number;
  readonly line: number;
  readonly kind: SymbolKind;
}

function* eachPlace({ places, end }: PlaceCursor): Generator<Place> {
  let line = 0;
  for (let index = 0; places.at < end; index++) {
    const value = readVarint(places);
    line += value >>> KIND_BITS;
    yield { index, line, kind: symbolKinds[value & KIND_MASK] ?? 'other' };
  }
}

function nameFrom(names: Buffer, start: number): string {
  return names.toString('utf8', start, names.indexOf(NEWLINE, start));
}

function countNewlines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}
