import type { LanguageNames } from '../language.ts';
import { allLanguages, languages } from '../languages.ts';
import type { Extent, LexicalRule } from './lexical-rule.ts';
import { LexicalScanner, type RuleTable } from './lexical-scanner.ts';
import { type UseRules, usualUses } from './use-rules.ts';

const byName: ReadonlyMap<string, LanguageNames> = new Map(allLanguages.map((each) => [each.name, each]));
const tables = new Map<readonly LexicalRule[], RuleTable>();

/**
 * Returns the comments and the literals of a text in order: strings, characters, regular expressions and the text in
 * elements of JSX, without the code inside of them. `language` is a name of `languageOf`; nothing is found in one whose
 * rules are not known. Takes linear time. A literal that never ends is one up to the end of its line or of the text. A
 * mark of a comment with no end mark behind it is none.
 */
export function readExtents(text: string, language: string): readonly Extent[] {
  return openExtents(text, language)(text.length);
}

/** Returns a function that reads the extents that begin before an offset, and maybe further ones. */
export function openExtents(text: string, language: string): (until: number) => readonly Extent[] {
  const known = byName.get(language);
  if (known?.lexical === undefined) return () => [];
  if (known.around === undefined) return scan(text, known.lexical);
  const { lexical, around } = known;
  let all: readonly Extent[] | undefined;
  return () => (all ??= extentsOfBoth(text, language, lexical, around));
}

/** Returns the extents of code in a text of another language, and of the text around it. */
function extentsOfBoth(
  text: string,
  language: string,
  lexical: readonly LexicalRule[],
  around: readonly LexicalRule[],
): readonly Extent[] {
  const code = languages.get(language)?.codeIn?.(text).text ?? text;
  const all = [...scan(code, lexical)(code.length), ...scan(text, around)(text.length)];
  return all.toSorted((a, b) => a.start - b.start);
}

/** Returns whether comments and literals of a language are known. */
export function hasLexicalRules(language: string): boolean {
  return byName.get(language)?.lexical !== undefined;
}

/** Returns the rules of a language; `language` is a name of `languageOf`. */
export function findUseRules(language: string): UseRules {
  return byName.get(language)?.uses ?? usualUses;
}

function scan(text: string, rules: readonly LexicalRule[]): (until: number) => readonly Extent[] {
  const table = tables.get(rules) ?? tableOf(rules);
  tables.set(rules, table);
  const around = rules.find(({ as }) => as === 'around');
  const scanner = new LexicalScanner(text, table, around);
  return (until) => scanner.read(until);
}

/** Returns the rules by first character, also for those that the scanner itself looks at. */
function tableOf(rules: readonly LexicalRule[]): RuleTable {
  const table: LexicalRule[][] = [];
  for (const mark of '\n{}()') table[mark.charCodeAt(0)] = [];
  for (const rule of rules)
    for (const mark of rule.first ?? String(rule.open)[0]!) (table[mark.charCodeAt(0)] ??= []).push(rule);
  return Array.from({ length: 128 }, (_, code) => table[code]);
}
