import { type CompiledLanguage, compileLanguage } from './compile-rules.ts';
import { eachSymbol, type VisitSymbol } from './each-symbol.ts';
import { symbolRules } from './languages.ts';
import { openLineScanner } from './line-scanner.ts';

export interface SymbolExtraction {
  /** Calls `visit` with the definitions of a text in order of lines; with none where the language is not known. */
  each(language: string, text: Buffer, visit: VisitSymbol): void;
}

/** The patterns of a language are compiled when it is first asked for. */
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

/** Whether the definitions of a language are known. */
export function knowsSymbols(language: string): boolean {
  return Object.hasOwn(symbolRules, language);
}
