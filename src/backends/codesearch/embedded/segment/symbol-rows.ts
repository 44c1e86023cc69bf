import { symbolKinds } from '../../port.ts';
import { encodeSymbolStreams, KIND_BITS } from '../format/symbol-section.ts';
import { openSymbolExtraction } from '../symbols/symbols-of.ts';
import { GrowingBytes } from './growing-bytes.ts';

export interface SymbolRows {
  /** Documents come in order of their numbers; those without text may be left out. */
  addDocument(document: number, language: string, text: Buffer): void;
  /** The section; empty again afterwards. */
  encode(documents: number): Buffer;
}

const kindNumbers = new Map(symbolKinds.map((kind, index) => [kind, index]));

/** Collects the definitions of the documents of one segment after another. */
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
  const passOver = (until: number): void => {
    for (let left = until - written; left > 0; left--) writeSizes(0, places.length, names.length);
  };
  return {
    addDocument: (document, language, text) => {
      passOver(document);
      const placesFrom = places.length;
      const namesFrom = names.length;
      let symbols = 0;
      let before = 0;
      extraction.each(language, text, (line, kind, name) => {
        symbols++;
        places.varint(((line - before) << KIND_BITS) | kindNumbers.get(kind)!);
        before = line;
        names.line(name);
      });
      writeSizes(symbols, placesFrom, namesFrom);
    },
    encode: (documents) => {
      passOver(documents);
      written = 0;
      return encodeSymbolStreams({ sizes: sizes.take(), places: places.take(), names: names.take() });
    },
  };
}
