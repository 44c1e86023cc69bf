import { isAscii } from 'node:buffer';
import { lowerBound } from '../../../../../foundation/kernel/lower-bound.ts';
import { type DefinedSymbol, type SymbolKind, symbolKinds } from '../../../port.ts';
import { emptyBits, hasBit } from '../../format/bits.ts';
import { decodeColumns, encodeColumns } from '../../format/columns.ts';
import { decodeSymbolStreams, kindBits } from '../../format/symbols-file.ts';
import { readVarint, type VarintCursor } from '../../format/varint.ts';

const newlineByte = 0x0a;
const kindMask = (1 << kindBits) - 1;

/** The definitions of a segment. */
export interface SymbolTable {
  /** All names in UTF-8, each followed by a newline, document after document. */
  readonly names: Buffer;
  readonly namesAreAscii: boolean;
  /** Returns whether the definitions of a document were read; a document may define nothing. */
  isRead(document: number): boolean;
  /** Returns the document that defines the name at an offset into `names`. */
  documentAt(offset: number): number;
  /**
   * Has one more entry than there are documents: the names of `d` are the bytes `[firstName[d], firstName[d + 1])`.
   */
  readonly firstName: Uint32Array;
  /** Returns the definitions of a name in a document, in line order. */
  named(document: number, name: string): PlacedSymbol[];
  /** Calls `visit` with each document that defines a name, in ascending order, and these definitions. */
  eachNaming(name: string, visit: (document: number, found: PlacedSymbol[]) => void): void;
  /** Returns the definition whose name is at an offset into `names`. */
  at(offset: number): PlacedSymbol;
  /**
   * Returns the definitions of a document with these numbers, counted from 0 and in ascending order. Takes one pass
   * for any number of them.
   */
  numbered(document: number, numbers: readonly number[]): PlacedSymbol[];
  /** Returns the definitions of a document in line order. */
  of(document: number): PlacedSymbol[];
  /** Returns the definitions of a document on these lines, 1-based; the first one if a line has several. */
  onLines(document: number, lines: ReadonlySet<number>): ReadonlyMap<number, DefinedSymbol>;
}

export interface PlacedSymbol extends DefinedSymbol {
  /** 1-based. */
  readonly line: number;
}

/** Returns the definitions of a document in line order; `undefined` if they were not read. */
export function definitionsIfRead(table: SymbolTable, document: number): PlacedSymbol[] | undefined {
  return table.isRead(document) ? table.of(document) : undefined;
}

/**
 * Decompresses the streams of the symbols file to columns: offset of the names of each document and the end (u32), the
 * same for its places (u32), names, places, documents that were read (bits), number of the first name of each document
 * and the end (u32), hash of each name (u32).
 * @throws RangeError if the file does not fit the documents
 */
export function unpackSymbols(
  file: ArrayBufferLike,
  documents: number,
  allocate: (bytes: number) => ArrayBufferLike,
): ArrayBufferLike {
  const { sizes, places, names, read } = decodeSymbolStreams(file);
  if (read.length !== emptyBits(documents).length) throw new RangeError('the number of documents differs');
  const firstName = new Uint32Array(documents + 1);
  const firstPlace = new Uint32Array(documents + 1);
  const firstNumber = new Uint32Array(documents + 1);
  const cursor = { bytes: sizes, at: 0 };
  for (let document = 0; document < documents; document++) {
    firstNumber[document + 1] = firstNumber[document]! + readVarint(cursor);
    firstPlace[document + 1] = firstPlace[document]! + readVarint(cursor);
    firstName[document + 1] = firstName[document]! + readVarint(cursor);
  }
  const allNames = names(firstName[documents]!);
  const hashes = hashesOf(allNames, firstNumber[documents]!);
  const allPlaces = places(firstPlace[documents]!);
  const columns = [firstName, firstPlace, allNames, allPlaces, read, firstNumber, hashes];
  const unpacked = encodeColumns(columns, (bytes) => Buffer.from(allocate(bytes)));
  return unpacked.buffer;
}

/** Returns the table of a segment none of whose definitions were read. */
export function emptySymbols(documents: number): SymbolTable {
  const starts = new Uint32Array(documents + 1);
  const none = new Uint8Array(0);
  return symbolTable(encodeColumns([starts, starts, none, none, emptyBits(documents), starts, none]).buffer);
}

/** Opens a symbol table. `unpacked` is the result of `unpackSymbols`. */
export function symbolTable(unpacked: ArrayBufferLike): SymbolTable {
  const columns = decodeColumns(unpacked);
  const [firstName, firstPlace, places] = [columns.u32(0), columns.u32(1), columns.u8(3)];
  const [read, firstNumber, hashes] = [columns.u32(4), columns.u32(5), columns.u32(6)];
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
    const { places: cursor } = placesOf(document);
    let start = firstName[document]!;
    let name = 0;
    let place = 0;
    let line = 0;
    let value = 0;
    return numbers.map((number) => {
      for (; name < number; name++) start = endOfLine(names, start) + 1;
      for (; place <= number; place++) {
        value = readVarint(cursor);
        line += value >>> kindBits;
      }
      return { name: nameFrom(names, start), kind: symbolKinds[value & kindMask] ?? 'other', line };
    });
  };
  const withHash = (document: number, name: string, hash: number): PlacedSymbol[] => {
    const own = hashes.subarray(firstNumber[document], firstNumber[document + 1]);
    const numbers: number[] = [];
    for (let at = own.indexOf(hash); at >= 0; at = own.indexOf(hash, at + 1)) numbers.push(at);
    return numbered(document, numbers).filter((each) => each.name === name);
  };
  return {
    names,
    namesAreAscii: isAscii(names),
    isRead: (document) => hasBit(read, document),
    firstName,
    documentAt,
    named: (document, name) => withHash(document, name, hashOf(Buffer.from(name))),
    eachNaming: (name, visit) => {
      const hash = hashOf(Buffer.from(name));
      for (let number = hashes.indexOf(hash); number >= 0; ) {
        const document = lowerBound(documents, (each) => firstNumber[each + 1]! > number);
        const found = withHash(document, name, hash);
        if (found.length > 0) visit(document, found);
        number = hashes.indexOf(hash, firstNumber[document + 1]);
      }
    },
    at: (offset) => {
      const document = documentAt(offset);
      return numbered(document, [countNewlines(names, firstName[document]!, offset)])[0]!;
    },
    numbered,
    of: (document) => {
      const found: PlacedSymbol[] = [];
      let start = firstName[document]!;
      for (const { line, kind } of eachPlace(placesOf(document))) {
        const end = names.indexOf(newlineByte, start);
        found.push({ name: names.toString('utf8', start, end), kind, line });
        start = end + 1;
      }
      return found;
    },
    onLines: (document, lines) => {
      const found = new Map<number, DefinedSymbol>();
      let start = firstName[document]!;
      let index = 0;
      for (const place of eachPlace(placesOf(document))) {
        if (!lines.has(place.line) || found.has(place.line)) continue;
        for (; index < place.index; index++) start = names.indexOf(newlineByte, start) + 1;
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
  /** Index among the definitions of its document. */
  readonly index: number;
  readonly line: number;
  readonly kind: SymbolKind;
}

function* eachPlace({ places, end }: PlaceCursor): Generator<Place> {
  let line = 0;
  for (let index = 0; places.at < end; index++) {
    const value = readVarint(places);
    line += value >>> kindBits;
    yield { index, line, kind: symbolKinds[value & kindMask] ?? 'other' };
  }
}

/** Returns the hash (FNV-1a) of each of `count` names. */
function hashesOf(names: Buffer, count: number): Uint32Array {
  const hashes = new Uint32Array(count);
  let start = 0;
  for (let number = 0; number < count; number++) {
    const end = names.indexOf(newlineByte, start);
    if (end === -1) throw new RangeError('the number of names differs');
    hashes[number] = hashOf(names, start, end);
    start = end + 1;
  }
  if (start !== names.length) throw new RangeError('the number of names differs');
  return hashes;
}

function hashOf(bytes: Buffer, from = 0, to = bytes.length): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}

function nameFrom(names: Buffer, start: number): string {
  return names.toString('utf8', start, endOfLine(names, start));
}

/** Returns the end of the line at `start`. Faster than `indexOf` for the few bytes of a name. */
function endOfLine(names: Buffer, start: number): number {
  let end = start;
  while (end < names.length && names[end] !== newlineByte) end++;
  return end;
}

function countNewlines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === newlineByte) count++;
  return count;
}
