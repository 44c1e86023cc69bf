/** Words of a text as they are compared: camelCase and snake_case split, lower case, plural and verb endings off. */
export function splitWords(text: string): string[] {
  return (text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}]+/gu) ?? [])
    .filter((word) => word.length > 1)
    .map((word) => stem(word.toLowerCase()));
}

/**
 * A light stem: `retries`, `retried`, `retrying` meet `retry`; `parser` meets `parse`. It need only agree with
 * itself.
 */
function stem(word: string): string {
  if (word.length < 4) return word;
  if (/(?:ies|ied)$/u.test(word)) return `${word.slice(0, -3)}y`;
  const singular = word.replace(/(?<![su])s$/u, '');
  const base = singular.replace(/(?:i[sz]ation|ation|ing|ed|er|or|ion|e)$/u, '');
  return base.length < 3 ? singular : base.replace(/([^aeiouls])\1$/u, '$1');
}
