/** The members of a class of the characters of words: `\w` of Unicode (UTS 18 annex C), as in ripgrep. */
export const wordClass = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`;

/** Matches each word of a text. */
export const words = new RegExp(`[${wordClass}]+`, 'gu');

const startsWithWord = new RegExp(`^[${wordClass}]`, 'u');
const endsWithWord = new RegExp(`[${wordClass}]$`, 'u');
const isWordByte = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Returns whether an ASCII character is one of a word; false for all others. */
export function isWordCode(code: number): boolean {
  return isWordByte[code] === 1;
}

/** Returns whether there is no character of a word before and after a part of a text. */
export function isWholeWord(text: string, start: number, end: number): boolean {
  return (
    !endsWithWord.test(text.slice(Math.max(0, start - 2), start)) &&
    !startsWithWord.test(text.slice(end, end + 2))
  );
}
