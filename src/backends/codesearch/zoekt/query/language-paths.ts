import { languageFiles } from '../../language.ts';
import { printText } from './print-regex.ts';
import { and, not, or, type ZoektQuery } from './zoekt-query.ts';

/**
 * The files of a language as a query about paths; none for a name of no language. Zoekt guesses languages from contents
 * too; `lang:` is to mean the same whichever engine answers, which is what `languageOf` says of the path.
 */
export function languagePaths(name: string): ZoektQuery {
  const wanted = name.toLowerCase();
  const { names, variants, extensions } = languageFiles;
  const wordsOf = (table: ReadonlyMap<string, string>): string[] =>
    [...table].filter(([, language]) => language.toLowerCase() === wanted).map(([word]) => word);
  const own = wordsOf(names);
  const named = not(paths('(?:^|/)', [...names.keys()], '$'));
  const varied = not(paths('(?:^|/)', variants, VARIANT));
  const found: ZoektQuery[] = [
    paths('(?:^|/)', own, '$'),
    and(
      paths(
        '(?:^|/)',
        variants.filter((variant) => own.includes(variant)),
        VARIANT,
      ),
      named,
    ),
    and(paths(String.raw`\.`, wordsOf(extensions), '$'), named, varied),
  ];
  if (wanted === 'text') {
    found.push(and(not(paths(String.raw`\.`, [...extensions.keys()], '$')), named, varied));
  }
  return or(...found);
}

const VARIANT = '[.-][^/]*$';

function paths(before: string, words: readonly string[], behind: string): ZoektQuery {
  if (words.length === 0) return { kind: 'constant', value: false };
  const pattern = `${before}(?:${words.map(printText).join('|')})${behind}`;
  return { kind: 'pattern', field: 'path', pattern, caseSensitive: false };
}
