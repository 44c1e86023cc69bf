import { stemWord } from './stem-word.ts';

/** A part of a word as code writes it: `parse`, `HTTP` and `Url` of `parseHTTPUrl`, or a number. */
const part = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d{1,6}|[^\p{ASCII}]+/gu;
const length = { min: 2, max: 40 } as const;

/** Returns the stems of the words in a text, in order. */
export function wordsIn(text: string): string[] {
  return (text.match(part) ?? [])
    .filter((word) => word.length >= length.min && word.length <= length.max)
    .map((word) => stemWord(word.toLowerCase()));
}

/** Words of a question that say nothing about the code: articles, pronouns, auxiliaries and words of asking. */
export const stopWords: ReadonlySet<string> = new Set(
  `a an the is are was were be been being do does did done how what where when why which who whom whose that this
  these those there here it its of in on at to for from by with and or not no nor as if then than so such into onto
  about during can could may might must shall should will would i we you they he she them us our your their my me his
  her has have had having get gets got gotten let lets just only also more most some any all another other too very one
  ones thing things way happen happens happened mean means actually really please tell know code somewhere something
  anything bit piece project repo repository implemented implementation implement don t s re ve ll isn doesn didn`.split(
    /\s+/,
  ),
);

/** A word of a question as written, with the stems of its parts. */
export interface QuestionWord {
  readonly word: string;
  readonly stems: readonly string[];
}

/** Returns the words of a question that say what it is about, in order. */
export function questionWordsIn(question: string): QuestionWord[] {
  return (question.match(/[\p{L}\p{N}_]+/gu) ?? [])
    .filter((word) => !stopWords.has(word.toLowerCase()))
    .map((word) => ({ word, stems: wordsIn(word) }));
}
