/**
 * Splits a text into words in the form in which they are compared: camelCase and snake_case are split, letters are in
 * lower case, plural and verb endings are removed.
 */
export function splitWords(text: string): string[] {
  return wordsIn(text).map((word) => formsOf(word).stem);
}

/** Splits a text into words, stemmed twice: `filtered` becomes `filter`, and `filter` something shorter. */
export function stemsOf(text: string): string[] {
  const stems: string[] = [];
  for (const word of wordsIn(text)) stems.push(...formsOf(word).twice);
  return stems;
}

/** The parts of ASCII text, which most code is: V8 finds them in a third of the time that Unicode classes take. */
const asciiParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const parts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{Lo}+/gu;

function wordsIn(text: string): readonly string[] {
  const words = text.match(/^[\0-\x7f]*$/u.test(text) ? asciiParts : parts) ?? [];
  return words.filter((word) => word.length > 1);
}

interface Forms {
  readonly stem: string;
  /** The stem of the stem: no word if that is a single letter. */
  readonly twice: readonly string[];
}

/**
 * The forms of the words that were read lately: a question reads the same few thousand words again and again. It is the
 * state of a module, against the rule, because the forms depend on nothing but the word: no question can see from them
 * more than it would compute, and an argument would have to go through every function that compares words.
 */
const known = new Map<string, Forms>();
/** Maximum number of known words, about 6 MB, and of the letters of one. */
const max = { words: 40_000, letters: 40 } as const;

function formsOf(part: string): Forms {
  const found = known.get(part);
  if (found !== undefined) return found;
  // V8 stores a longer part of a text as a reference to the whole text, which would then stay in memory.
  const word = Buffer.from(part).toString();
  const once = stem(word.toLowerCase());
  const forms = { stem: once, twice: wordsIn(once).map((each) => stem(each.toLowerCase())) };
  if (word.length > max.letters) return forms;
  if (known.size >= max.words) known.clear();
  known.set(word, forms);
  return forms;
}

/**
 * Returns a light stem: `retries`, `retried` and `retrying` become `retry`, `cookie` and `cookies` `cooky`; `parser`
 * becomes the stem of `parse`. Stems are compared only with each other, so they need not be words.
 */
function stem(word: string): string {
  if (word.length < 4) return word;
  if (/(?:ies|ied|ie)$/u.test(word)) return word.replace(/(?:ies|ied|ie)$/u, 'y');
  const singular = word.replace(/(?<![su])s$/u, '');
  const base = singular.replace(/(?:i[sz]ation|ation|ing|ed|er|or|ion|e)$/u, '');
  return base.length < 3 ? singular : base.replace(/([^aeiouls])\1$/u, '$1');
}
