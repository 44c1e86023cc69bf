import { stemWord } from './stem-word.ts';

const other = 0;
const lower = 1;
const upper = 2;
const digit = 3;
/** A character beyond the Latin letters. */
const foreign = 4;
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return lower;
  if (code >= 0x41 && code <= 0x5a) return upper;
  return code >= 0x30 && code <= 0x39 ? digit : other;
});
/** Maximum length of a word by the class of its first character. */
const maxLength = Uint8Array.of(0, 40, 40, 6, 40);

/** Returns the class of a character. Latin letters beyond ASCII count as small. */
function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return classes[code]!;
  return code < 0x250 ? lower : foreign;
}

/**
 * Returns the end of what starts at an offset: a word as code joins them, such as `parse`, `HTTP` and `Url` of
 * `parseHTTPUrl`, a number, or one character that is neither.
 */
export function partEnd(text: string, start: number, to: number): number {
  const first = classAt(text, start);
  let end = start + 1;
  if (first === other) return end;
  if (first === upper) {
    while (end < to && classAt(text, end) === upper) end++;
    const isFollowed = end < to && classAt(text, end) === lower;
    if (!isFollowed) return end;
    // The last capital starts the next word.
    if (end - start > 1) return end - 1;
  }
  const rest = first === upper ? lower : first;
  while (end < to && classAt(text, end) === rest) end++;
  return end;
}

/** Returns whether a part is a word: neither too short nor too long to say anything. */
export function isWord(text: string, start: number, end: number): boolean {
  return end - start >= 2 && end - start <= maxLength[classAt(text, start)]!;
}

/** Returns the stems of the words in a text, in order. */
export function wordsIn(text: string): string[] {
  const stems: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = partEnd(text, at, text.length);
    if (isWord(text, at, end)) stems.push(stemWord(text.slice(at, end).toLowerCase()));
    at = end;
  }
  return stems;
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
