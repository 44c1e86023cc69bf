import { isAscii } from 'node:buffer';
import { type DefinedSymbol, symbolKinds } from '../../port.ts';
import { decodeSymbolStreams, KIND_BITS } from '../format/symbol-section.ts';
import { readVarint } from '../format/varint.ts';
import { lowerBound } from './document-table.ts';

/** The definitions of a segment. */
export interface SymbolTable {
  /** All names, a newline behind each, document after document; bytes of UTF-8. */
  readonly names: Buffer;
  readonly namesAreAscii: boolean;
  /** The document that defines the name at an offset into `names`. */
  documentAt(offset: number): number;
  /** One more than documents: the names of `d` are the bytes `[firstName[d], firstName[d + 1])`. */
  readonly firstName: Uint32Array;
  /** The definitions of a document in order of lines. */
  of(document: number): PlacedSymbol[];
}

export interface PlacedSymbol extends DefinedSymbol {
  /** 1-based. */
  readonly line: number;
}

/** @throws RangeError where the section does not fit the documents */
export function symbolTable(section: ArrayBuffer, documents: number): SymbolTable {
  const { sizes, places, names } = decodeSymbolStreams(section);
  const firstName = new Uint32Array(documents + 1);
  const firstPlace = new Uint32Array(documents + 1);
  const cursor = { bytes: sizes, at: 0 };
  for (let document = 0; document < documents; document++) {
    readVarint(cursor);
    firstPlace[document + 1] = firstPlace[document]! + readVarint(cursor);
    firstName[document + 1] = firstName[document]! + readVarint(cursor);
  }
  if (firstName[documents] !== names.length || firstPlace[documents] !== places.length) {
    throw new RangeError('symbols do not fit their documents');
  }
  return {
    names,
    namesAreAscii: isAscii(names),
    documentAt: (offset) => lowerBound(documents, (document) => firstName[document + 1]! > offset),
    firstName,
    of: (document) => {
      const from = firstName[document]!;
      const to = firstName[document + 1]!;
      if (from === to) return [];
      const own = names.toString('utf8', from, to - 1).split('\n');
      const place = { bytes: places, at: firstPlace[document]! };
      let line = 0;
      return own.map((name) => {
        const value = readVarint(place);
        line += value >>> KIND_BITS;
        return { name, kind: symbolKinds[value & ((1 << KIND_BITS) - 1)] ?? 'other', line };
      });
    },
  };
}
