import type { SymbolKind } from '../../port.ts';

/**
 * How the definitions of a language look, line by line. Lines are read as latin1, in which every byte of a name beyond
 * ASCII is a letter; patterns start at the first character behind the indentation.
 */
export interface LineRule {
  /** Its first group is the name; a rule without one opens a block and defines nothing itself. */
  readonly pattern: string;
  readonly kind: SymbolKind;
  /** The kind directly inside of a block that a rule opened: a function becomes a method there. */
  readonly inside?: SymbolKind;
  /**
   * First words of the lines that the rule is for. None: for every line in `place`.
   * A line is tried by the rules of its first word, then by those without words.
   */
  readonly words?: readonly string[];
  /** `outer`: without indentation or directly inside of a block; default: on any line. */
  readonly place?: 'outer' | 'top';
  /** The rule opens a block; its members are told by `members` of this name. */
  readonly opens?: string;
}

export interface LanguageRules {
  readonly rules: readonly LineRule[];
  /** What lines directly inside of a block define, by what opened it. */
  readonly members?: Readonly<Record<string, readonly LineRule[]>>;
  /** Texts that a line may begin with and that run over lines: comments, and strings that hold documentation. */
  readonly blocks?: readonly { readonly open: string; readonly close: string }[];
}

/** A name, as far as most languages agree. */
export const NAME = '[A-Za-z_$\\x80-\\xff][\\w$\\x80-\\xff]*';

export const SLASH_STAR = [{ open: '/*', close: '*/' }];

/** `(?:a|b)\s+`, any number of times. */
export function anyOf(words: readonly string[]): string {
  return `(?:(?:${words.join('|')})\\s+)*`;
}

export function wordsOf(text: string): string[] {
  return text.split(' ');
}
