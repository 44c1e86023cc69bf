import { type CompiledLanguage, compileLanguage } from './compile-rules.ts';
import { eachSymbol, type VisitSymbol } from './each-symbol.ts';
import { symbolRules } from './languages.ts';
import { openLineScanner } from './line-scanner.ts';

export interface SymbolExtraction {
  /** Calls `visit` with the definitions of a text in line order. Finds none if the language is not supported. */
  each(language: string, text: Buffer, visit: VisitSymbol): void;
}

/** Opens a symbol extraction. The patterns of a language are compiled on first use. */
export function openSymbolExtraction(): SymbolExtraction {
  const scanner = openLineScanner();
  const compiled = new Map<string, CompiledLanguage>();
  return {
    each: (language, text, visit) => {
      const rules = Object.hasOwn(symbolRules, language) ? symbolRules[language] : undefined;
      if (rules === undefined) return;
      let known = compiled.get(language);
      if (known === undefined) compiled.set(language, (known = compileLanguage(rules)));
      eachSymbol(scanner, known, text, visit);
    },
  };
}

/** Returns whether definitions in a language can be extracted. */
export function supportsSymbols(language: string): boolean {
  return Object.hasOwn(symbolRules, language);
}
