import type { SymbolKind } from '../outline.ts';

/** A rule that finds definitions in single lines. Patterns start at the first character after the indentation. */
export interface LineRule {
  /**
   * The first group is the name, or that called `name` if there is one called `owner`: the type that the definition
   * belongs to. A rule without a name opens a block and defines nothing itself.
   */
  readonly pattern: string;
  readonly kind: SymbolKind;
  /** The kind directly inside a block that a rule opened, where a function becomes a method. Default: `kind`. */
  readonly inside?: SymbolKind;
  /** `top`: lines without indentation. `outer`: these, and lines directly inside a block. Default: any line. */
  readonly place?: 'outer' | 'top';
  /** Name of the block that the rule opens. Its member rules are in `members` under this name. */
  readonly opens?: string;
}

/** The rules that find definitions in a language without a grammar. */
export interface LineRules {
  /** The first that matches a line decides. The rules for the members of a block are tried after these. */
  readonly rules: readonly LineRule[];
  /** Rules for the lines directly inside a block, by the name of the block. */
  readonly members?: Readonly<Record<string, readonly LineRule[]>>;
  /** Delimiters of comments and documentation strings that begin a line and may span lines. */
  readonly blocks?: readonly { readonly open: string; readonly close: string }[];
  /** True if annotations such as `@objc(name)` may stand before a definition on its line. */
  readonly annotations?: boolean;
}

/** Pattern of a name in most languages. */
export const namePattern = '[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*';

export const slashStar = [{ open: '/*', close: '*/' }];

/** Returns the pattern `(?:a|b)\s+`, repeated any number of times. */
export function anyOf(words: readonly string[]): string {
  return `(?:(?:${words.join('|')})\\s+)*`;
}

export function wordsOf(text: string): string[] {
  return text.split(' ');
}
