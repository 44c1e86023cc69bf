import { isAscii } from 'node:buffer';
import { lowerBound } from '../../../../../foundation/kernel/lower-bound.ts';
import { type DefinedSymbol, type Definition, symbolKinds } from '../../../port.ts';
import { emptyBits, hasBit } from '../../format/bits.ts';
import { decodeColumns, encodeColumns } from '../../format/columns.ts';
import { decodeSymbolStreams, kindBits } from '../../format/symbols-file.ts';
import { readVarint } from '../../format/varint.ts';

const newlineByte = 0x0a;
const kindMask = (1 << kindBits) - 1;

/** The definitions of a segment. Those of a document are numbered from 0, in line order. */
export interface SymbolTable {
  /** All names in UTF-8, each followed by a newline, document after document. */
  readonly names: Buffer;
  readonly namesAreAscii: boolean;
  /** Returns whether the definitions of a document were read; a document may define nothing. */
  isRead(document: number): boolean;
  /** Returns the part of `names` that is of a document. */
  namesOf(document: number): Buffer;
  /** Returns the document that defines the name at an offset into `names`, and the offset after its names. */
  documentAt(offset: number): { readonly document: number; readonly end: number };
  /** Returns the definition with a number in a document. */
  at(document: number, number: number): Definition;
  /** Returns the definitions of a document. */
  of(document: number): Definition[];
  /** Returns the definitions of a name in a document. */
  named(document: number, name: string): Definition[];
  /** Calls `visit` with each document that defines a name, in ascending order, and these definitions. */
  eachNaming(name: string, visit: (document: number, found: Definition[]) => void): void;
  /** Returns the definitions of a document on these lines, 1-based; the first one if a line has several. */
  onLines(document: number, lines: ReadonlySet<number>): ReadonlyMap<number, DefinedSymbol>;
}

/** Returns the definitions of a document in line order; `undefined` if they were not read. */
export function definitionsIfRead(table: SymbolTable, document: number): Definition[] | undefined {
  return table.isRead(document) ? table.of(document) : undefined;
}

/**
 * Decompresses the streams of the symbols file to columns: number of the first definition of each document and the end
 * (u32); of each definition the offset of its name and the end (u32), the names, its line and kind as in the streams,
 * but with the line itself (u32); documents that were read (bits); hash of each name (u32).
 * @throws RangeError if the file does not fit the documents
 */
export function unpackSymbols(
  file: ArrayBufferLike,
  documents: number,
  allocate: (bytes: number) => ArrayBufferLike,
): ArrayBufferLike {
  const { sizes, places, names, read } = decodeSymbolStreams(file);
  if (read.length !== emptyBits(documents).length) throw new RangeError('the number of documents differs');
  const firstNumber = new Uint32Array(documents + 1);
  let [placesBytes, namesBytes] = [0, 0];
  const cursor = { bytes: sizes, at: 0 };
  for (let document = 0; document < documents; document++) {
    firstNumber[document + 1] = firstNumber[document]! + readVarint(cursor);
    placesBytes += readVarint(cursor);
    namesBytes += readVarint(cursor);
  }
  if (places.length !== placesBytes || names.length !== namesBytes)
    throw new RangeError('the size of a stream differs');
  const starts = startsOf(names, firstNumber[documents]!);
  const hashes = starts.subarray(1).map((end, number) => hashOf(names, starts[number], end - 1));
  const columns = [firstNumber, starts, names, unpackPlaces(places, firstNumber), read, hashes];
  return encodeColumns(columns, (bytes) => Buffer.from(allocate(bytes))).buffer;
}

/** Returns the table of a segment none of whose definitions were read. */
export function emptySymbols(documents: number): SymbolTable {
  const [firstNumber, starts] = [new Uint32Array(documents + 1), new Uint32Array(1)];
  const none = new Uint8Array(0);
  return symbolTable(encodeColumns([firstNumber, starts, none, none, emptyBits(documents), none]).buffer);
}

/** Opens a symbol table. `unpacked` is the result of `unpackSymbols`. */
export function symbolTable(unpacked: ArrayBufferLike): SymbolTable {
  const columns = decodeColumns(unpacked);
  const [firstNumber, starts, places] = [columns.u32(0), columns.u32(1), columns.u32(3)];
  const [read, hashes] = [columns.u32(4), columns.u32(5)];
  const named = columns.u8(2);
  const names = Buffer.from(unpacked, named.byteOffset, named.length);
  const documentOf = (number: number): number =>
    lowerBound(firstNumber.length - 1, (document) => firstNumber[document + 1]! > number);
  const lineOf = (number: number): number => places[number]! >>> kindBits;
  const symbolOf = (number: number): DefinedSymbol => ({
    name: names.toString('utf8', starts[number], starts[number + 1]! - 1),
    kind: symbolKinds[places[number]! & kindMask] ?? 'other',
  });
  const at = (document: number, number: number): Definition => {
    const inSegment = firstNumber[document]! + number;
    return { ...symbolOf(inSegment), line: lineOf(inSegment) };
  };
  const withHash = (document: number, name: string, hash: number): Definition[] => {
    const own = hashes.subarray(firstNumber[document], firstNumber[document + 1]);
    const found: Definition[] = [];
    for (let each = own.indexOf(hash); each >= 0; each = own.indexOf(hash, each + 1))
      found.push(at(document, each));
    return found.filter((each) => each.name === name);
  };
  return {
    names,
    namesAreAscii: isAscii(names),
    isRead: (document) => hasBit(read, document),
    namesOf: (document) => names.subarray(starts[firstNumber[document]!], starts[firstNumber[document + 1]!]),
    documentAt: (offset) => {
      const document = documentOf(lowerBound(hashes.length, (number) => starts[number + 1]! > offset));
      return { document, end: starts[firstNumber[document + 1]!]! };
    },
    at,
    of: (document) => {
      const length = firstNumber[document + 1]! - firstNumber[document]!;
      return Array.from({ length }, (_, number) => at(document, number));
    },
    named: (document, name) => withHash(document, name, hashOf(Buffer.from(name))),
    eachNaming: (name, visit) => {
      const hash = hashOf(Buffer.from(name));
      for (let number = hashes.indexOf(hash); number >= 0; ) {
        const document = documentOf(number);
        const found = withHash(document, name, hash);
        if (found.length > 0) visit(document, found);
        number = hashes.indexOf(hash, firstNumber[document + 1]);
      }
    },
    onLines: (document, lines) => {
      const found = new Map<number, DefinedSymbol>();
      for (let number = firstNumber[document]!; number < firstNumber[document + 1]!; number++) {
        const line = lineOf(number);
        if (lines.has(line) && !found.has(line)) found.set(line, symbolOf(number));
      }
      return found;
    },
  };
}

/** Returns the offset of each of `count` names, and the end of the last one. */
function startsOf(names: Buffer, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let number = 0; number < count; number++) {
    const end = names.indexOf(newlineByte, starts[number]);
    if (end === -1) throw new RangeError('the number of names differs');
    starts[number + 1] = end + 1;
  }
  if (starts[count] !== names.length) throw new RangeError('the number of names differs');
  return starts;
}

/** Returns the line and kind of each definition, from a stream with the differences of lines. */
function unpackPlaces(stream: Buffer, firstNumber: Uint32Array): Uint32Array {
  const places = new Uint32Array(firstNumber.at(-1)!);
  const cursor = { bytes: stream, at: 0 };
  for (let document = 1; document < firstNumber.length; document++) {
    let line = 0;
    for (let number = firstNumber[document - 1]!; number < firstNumber[document]!; number++) {
      const value = readVarint(cursor);
      line += value >>> kindBits;
      places[number] = (line << kindBits) | (value & kindMask);
    }
  }
  return places;
}

/** Returns the hash (FNV-1a) of a name. */
function hashOf(bytes: Buffer, from = 0, to = bytes.length): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}
