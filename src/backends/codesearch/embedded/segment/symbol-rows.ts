import { type Definition, symbolKinds } from '../../port.ts';
import { emptyBits, setBit } from '../format/bits.ts';
import { encodeSymbolStreams, kindBits } from '../format/symbols-file.ts';
import { GrowingBytes } from './growing-bytes.ts';

export interface SymbolRows {
  /** Adds the definitions of a document. Documents must arrive in order; those that were not read are omitted. */
  addDocument(document: number, definitions: readonly Definition[]): void;
  /**
   * Returns the content of the symbols file and the number of documents that were read, and resets the collector;
   * `undefined` if no document was read. `documents` is their number in the segment.
   */
  encode(documents: number): { readonly bytes: Buffer; readonly documents: number } | undefined;
}

/** Maximum length of a name, in characters. Longer ones are no names that anybody searches for. */
const maxNameLength = 1000;
const kindNumbers = new Map(symbolKinds.map((kind, index) => [kind, index]));

/** Collects the definitions in the documents of a segment. */
export function collectSymbols(): SymbolRows {
  const sizes = new GrowingBytes();
  const places = new GrowingBytes();
  const names = new GrowingBytes();
  let read: number[] = [];
  let written = 0;
  const writeSizes = (symbols: number, placesFrom: number, namesFrom: number): void => {
    sizes.varint(symbols);
    sizes.varint(places.length - placesFrom);
    sizes.varint(names.length - namesFrom);
    written++;
  };
  const fillUpTo = (until: number): void => {
    for (let left = until - written; left > 0; left--) writeSizes(0, places.length, names.length);
  };
  return {
    addDocument: (document, definitions) => {
      fillUpTo(document);
      const [placesFrom, namesFrom] = [places.length, names.length];
      let symbols = 0;
      let before = 0;
      for (const { line, kind, name } of definitions) {
        // The table has a name per line and lines in order.
        if (name === '' || name.length > maxNameLength || name.includes('\n') || line < Math.max(1, before))
          continue;
        symbols++;
        places.varint(((line - before) << kindBits) | kindNumbers.get(kind)!);
        before = line;
        names.line(name);
      }
      writeSizes(symbols, placesFrom, namesFrom);
      read.push(document);
    },
    encode: (documents) => {
      const bits = emptyBits(documents);
      for (const document of read) setBit(bits, document);
      const count = read.length;
      fillUpTo(documents);
      [written, read] = [0, []];
      const streams = { sizes: sizes.take(), places: places.take(), names: names.take(), read: bits };
      return count === 0 ? undefined : { bytes: encodeSymbolStreams(streams), documents: count };
    },
  };
}
