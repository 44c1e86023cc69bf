/**
 * Splits a text into words in the form in which they are compared: camelCase and snake_case are split, letters are in
 * lower case, plural and verb endings are removed.
 */
export function splitWords(text: string): string[] {
  return (text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}]+/gu) ?? [])
    .filter((word) => word.length > 1)
    .map((word) => stem(word.toLowerCase()));
}

/** Splits a text into words, stemmed twice: `filtered` becomes `filter`, and `filter` something shorter. */
export function stemsOf(text: string): string[] {
  return splitWords(splitWords(text).join(' '));
}

/**
 * Returns a light stem: `retries`, `retried` and `retrying` become `retry`, `cookie` and `cookies` `cooky`; `parser` becomes the stem of `parse`.
 * Stems are compared only with each other, so they need not be words.
 */
function stem(word: string): string {
  if (word.length < 4) return word;
  if (/(?:ies|ied|ie)$/u.test(word)) return word.replace(/(?:ies|ied|ie)$/u, 'y');
  const singular = word.replace(/(?<![su])s$/u, '');
  const base = singular.replace(/(?:i[sz]ation|ation|ing|ed|er|or|ion|e)$/u, '');
  return base.length < 3 ? singular : base.replace(/([^aeiouls])\1$/u, '$1');
}
