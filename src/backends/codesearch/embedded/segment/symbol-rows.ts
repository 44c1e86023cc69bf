import { symbolKinds } from '../../port.ts';
import { encodeSymbolStreams, kindBits } from '../format/symbol-section.ts';
import { openSymbolExtraction } from '../symbols/symbol-extraction.ts';
import { GrowingBytes } from './growing-bytes.ts';

export interface SymbolRows {
  /** Adds the symbols of a document. Documents must arrive in order; those without text may be omitted. */
  addDocument(document: number, language: string, text: Buffer): void;
  /** Returns the section and resets the collector. */
  encode(documents: number): Buffer;
}

const kindNumbers = new Map(symbolKinds.map((kind, index) => [kind, index]));

/** Collects the definitions in the documents of a segment. */
export function collectSymbols(): SymbolRows {
  const extraction = openSymbolExtraction();
  const sizes = new GrowingBytes();
  const places = new GrowingBytes();
  const names = new GrowingBytes();
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
    addDocument: (document, language, text) => {
      fillUpTo(document);
      const placesFrom = places.length;
      const namesFrom = names.length;
      let symbols = 0;
      let before = 0;
      extraction.each(language, text, (line, kind, name) => {
        symbols++;
        places.varint(((line - before) << kindBits) | kindNumbers.get(kind)!);
        before = line;
        names.line(name);
      });
      writeSizes(symbols, placesFrom, namesFrom);
    },
    encode: (documents) => {
      fillUpTo(documents);
      written = 0;
      return encodeSymbolStreams({ sizes: sizes.take(), places: places.take(), names: names.take() });
    },
  };
}
