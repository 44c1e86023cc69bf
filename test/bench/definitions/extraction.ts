import { openSymbolExtraction } from '../../../src/backends/codesearch/embedded/symbols/symbol-extraction.ts';
import { languageOf } from '../../../src/backends/languages/port.ts';
import type { Definition } from './syntax-trees.ts';

/** A comparison of the definitions that the index extracts from lines with those of a parser. */
export interface Extraction {
  /** Number of definitions that the parser finds. */
  truth: number;
  /** Number of those that the index has with the same name and line. */
  recalled: number;
  /** Number of definitions in the index. */
  extracted: number;
  /** Number of those that the parser finds, too. */
  right: number;
  readonly missed: string[];
  readonly wrong: string[];
}

export function newExtraction(): Extraction {
  return { truth: 0, recalled: 0, extracted: 0, right: 0, missed: [], wrong: [] };
}

const extraction = openSymbolExtraction();

/** Adds the figures of one file to `sum`. */
export function compareExtraction(
  sum: Extraction,
  path: string,
  text: Buffer,
  definitions: readonly Definition[],
): void {
  const truth = new Set(definitions.map(({ name, line }) => `${line} ${name}`));
  const extracted = new Set<string>();
  extraction.each(languageOf(path), text, (line, _kind, name) => {
    extracted.add(`${line} ${Buffer.from(name, 'latin1').toString()}`);
  });
  sum.truth += truth.size;
  sum.extracted += extracted.size;
  for (const each of truth) {
    if (extracted.has(each)) sum.recalled++;
    else sum.missed.push(`${path}:${each}`);
  }
  for (const each of extracted) {
    if (truth.has(each)) sum.right++;
    else sum.wrong.push(`${path}:${each}`);
  }
}
