import type { SymbolKind } from '../outline.ts';

/** A rule that finds definitions in single lines. */
export interface LineRule {
  /**
   * Matches a line from the first character after the indentation. The first group is the name, or that called `name`
   * if there is one called `owner`: the type that the definition belongs to. A rule without a name opens a block and
   * defines nothing itself.
   */
  readonly pattern: RegExp;
  readonly kind: SymbolKind;
  /** The kind directly inside a block that a rule opened, where a function becomes a method. Default: `kind`. */
  readonly inside?: SymbolKind;
  /** `top`: lines without indentation. `outer`: these, and lines directly inside a block. Default: any line. */
  readonly place?: 'outer' | 'top';
  /**
   * The rules for the lines directly inside of the block that the rule opens, tried after those of the language. Empty
   * if only those of the language apply there.
   */
  readonly opens?: readonly LineRule[];
}

/** Returns a rule, whose `pattern` begins at the first character after the indentation. */
export function rule(
  kind: SymbolKind,
  pattern: string,
  more?: Pick<LineRule, 'inside' | 'place' | 'opens'>,
): LineRule {
  return { kind, pattern: new RegExp(`^(?:${pattern})`), ...more };
}

/** Pattern of a name in most languages. */
export const namePattern = '[A-Za-z_$\\u0080-\\uffff][\\w$\\u0080-\\uffff]*';

/** Returns the pattern `(?:a|b)\s+`, repeated any number of times. */
export function anyOf(words: readonly string[]): string {
  return `(?:(?:${words.join('|')})\\s+)*`;
}
