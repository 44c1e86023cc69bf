import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Language as Grammar } from 'web-tree-sitter';
import type { Language } from '../language.ts';

/**
 * V8 flags that decide whether a function of WebAssembly is compiled at its first call, and optimized when used often.
 */
const optimizing = ['wasm-lazy-compilation', 'wasm-tier-up', 'wasm-dynamic-tiering'];

/**
 * Loads a grammar. V8 compiles its functions now and never optimizes them, because that takes 500 MB for one lexer. The
 * functions that all grammars share are optimized.
 */
export function loadGrammar(language: Language): Grammar {
  const bytes = readFileSync(grammarFile(language));
  for (const flag of optimizing) setFlagsFromString(`--no-${flag}`);
  try {
    return Grammar.loadSync(new WebAssembly.Module(bytes));
  } finally {
    for (const flag of optimizing) setFlagsFromString(`--${flag}`);
  }
}

/**
 * Returns the file of a grammar: in its package when run from source, in the folder `grammars` beside the chunk in the
 * bundle, because the packages are 4 to 65 MB and only the grammars are shipped.
 */
function grammarFile({ grammar }: Language): string {
  return import.meta.url.endsWith('.ts')
    ? createRequire(import.meta.url).resolve(`${grammar.package}/${grammar.file}`)
    : fileURLToPath(new URL(`./grammars/${grammar.file}`, import.meta.url));
}
