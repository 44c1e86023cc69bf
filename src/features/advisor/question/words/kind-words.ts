/** Kinds of definitions, which a question names next to a name: "the Context struct". */
const kinds =
  'attribute class constant enum field function interface method module object option parameter property setting struct ' +
  'trait type variable';

/** Alternatives of a pattern that match the kind of a definition. */
export const kindPattern = kinds.replaceAll(' ', '|');

const ofName = new RegExp(`^(?:${kindPattern}|flag|header|helper)$`, 'iu');
const ofCode = new RegExp(`^(?:${kindPattern}|argument|code|component|file)(?:e?s)?$`, 'iu');

/** Returns whether a word says what kind of definition a name is. */
export function isKindOfName(word: string): boolean {
  return ofName.test(word);
}

/** Returns whether a word, also in the plural, says what kind of code is meant and not which. */
export function isKindOfCode(word: string): boolean {
  return ofCode.test(word);
}
