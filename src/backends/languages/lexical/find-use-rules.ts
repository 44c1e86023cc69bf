import { allLanguages } from '../languages.ts';
import { type UseRules, usualUses } from './use-rules.ts';

const byName: ReadonlyMap<string, UseRules | undefined> = new Map(
  allLanguages.map(({ name, uses }) => [name, uses]),
);

/** Returns the rules of a language; `language` is a name of `languageOf`. */
export function findUseRules(language: string): UseRules {
  return byName.get(language) ?? usualUses;
}
