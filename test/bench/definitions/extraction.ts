import { openSymbolExtraction } from '../../../src/backends/codesearch/embedded/symbols/symbols-of.ts';
import { languageOf } from '../../../src/backends/codesearch/language.ts';
import type { Definition } from './syntax-trees.ts';

/** How the definitions that the index takes from lines compare with those of a parser. */
export interface Extraction {
  /** Of the parser. */
  truth: number;
  /** Of those, in the index with name and line. */
  recalled: number;
  /** In the index. */
  extracted: number;
  /** Of those, of the parser too. */
  right: number;
  readonly missed: string[];
  readonly wrong: string[];
}

export function newExtraction(): Extraction {
  return { truth: 0, recalled: 0, extracted: 0, right: 0, missed: [], wrong: [] };
}

const extraction = openSymbolExtraction();

/** Adds one file. */
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
