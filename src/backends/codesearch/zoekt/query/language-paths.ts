import { languageFiles } from '../../../languages/port.ts';
import { printText } from './print-regex.ts';
import { and, not, or, type ZoektQuery } from './zoekt-query.ts';

/**
 * Returns a query that matches the files of a language by path; it matches nothing for an unknown language. Zoekt
 * also guesses languages from contents, but `lang:` must mean the same for every engine, as `languageOf` defines it
 * by path.
 */
export function languagePaths(name: string): ZoektQuery {
  const wanted = name.toLowerCase();
  const { names, variants, extensions } = languageFiles;
  const wordsOf = (table: ReadonlyMap<string, string>): string[] =>
    [...table].filter(([, language]) => language.toLowerCase() === wanted).map(([word]) => word);
  const own = wordsOf(names);
  const named = not(paths('(?:^|/)', [...names.keys()], '$'));
  const varied = not(paths('(?:^|/)', variants, variantSuffix));
  const found: ZoektQuery[] = [
    paths('(?:^|/)', own, '$'),
    and(
      paths(
        '(?:^|/)',
        variants.filter((variant) => own.includes(variant)),
        variantSuffix,
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

const variantSuffix = '[.-][^/]*$';

function paths(before: string, words: readonly string[], after: string): ZoektQuery {
  if (words.length === 0) return { kind: 'constant', value: false };
  const pattern = `${before}(?:${words.map(printText).join('|')})${after}`;
  return { kind: 'pattern', field: 'path', pattern, caseSensitive: false };
}
