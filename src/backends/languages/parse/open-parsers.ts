import { Parser, Query } from 'web-tree-sitter';
import type { Language } from '../language.ts';
import { loadGrammar } from './load-grammar.ts';

export interface OpenParser {
  readonly language: Language;
  readonly parser: Parser;
  readonly query: Query;
}

/** Pages of 64 KiB that the runtime of the parsers needs to start. */
const initialPages = 512;

/**
 * Opens the parsers of this thread, each at its first use. All grammars and trees share one memory, which never
 * shrinks: a text that needs more than `maxPages` ends the thread.
 */
export async function openParsers(maxPages: number): Promise<(language: Language) => OpenParser> {
  const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum: maxPages });
  // A failure also throws, so the runtime need not print it.
  await Parser.init({ wasmMemory, printErr: () => undefined });
  // Languages with one query differ only in how their code is embedded.
  const open = new Map<string, Omit<OpenParser, 'language'>>();
  return (language) => {
    const opened = open.get(language.query) ?? openGrammar(language);
    open.set(language.query, opened);
    return { ...opened, language };
  };
}

function openGrammar(language: Language): Omit<OpenParser, 'language'> {
  const grammar = loadGrammar(language);
  const parser = new Parser();
  parser.setLanguage(grammar);
  return { parser, query: new Query(grammar, language.query) };
}
