import type { Query } from './port.ts';

/** The characters of words, as in ripgrep: letters, marks, digits and connectors. */
const wordClass = String.raw`\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}`;

/** Matches each word of a text. */
export const words = new RegExp(`[${wordClass}]+`, 'gu');

export const startsWithWord = new RegExp(`^[${wordClass}]`, 'u');
export const endsWithWord = new RegExp(`[${wordClass}]$`, 'u');
const isWordByte = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Returns whether an ASCII character is one of a word; false for all others. */
export function isWordCode(code: number): boolean {
  return isWordByte[code] === 1;
}

/** Returns the pattern of the lines that have a text as a whole word. */
export function patternOfWord(text: string): Extract<Query, { kind: 'regex' }> {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const source = `(?:^|[^${wordClass}])${escaped}(?:[^${wordClass}]|$)`;
  return { kind: 'regex', source, caseSensitive: true, field: 'content' };
}
