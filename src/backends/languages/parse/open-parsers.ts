import { Parser, Query } from 'web-tree-sitter';
import type { Language } from '../language.ts';
import { languages } from '../languages.ts';
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
export async function openParsers(maxPages: number): Promise<(language: string) => OpenParser> {
  const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum: maxPages });
  // A failure also throws, so the runtime need not print it.
  await Parser.init({ wasmMemory, printErr: () => undefined });
  const open = new Map<string, OpenParser>();
  return (name) => {
    const known = open.get(name);
    if (known !== undefined) return known;
    const language = languages.get(name);
    if (language === undefined) throw new Error(`no grammar of ${name}`);
    // Languages may differ only in how their code is embedded.
    const twin = [...open.values()].find(
      (each) => each.language.grammar === language.grammar && each.language.query === language.query,
    );
    const opened = { ...(twin ?? openGrammar(language)), language };
    open.set(name, opened);
    return opened;
  };
}

function openGrammar(language: Language): Omit<OpenParser, 'language'> {
  const grammar = loadGrammar(language);
  const parser = new Parser();
  parser.setLanguage(grammar);
  return { parser, query: new Query(grammar, language.query) };
}
