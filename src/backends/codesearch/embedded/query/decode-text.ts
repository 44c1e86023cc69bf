import { UNIT_FLAGS } from '../format/segment-sections.ts';

/**
 * Bytes as text. Pure ASCII is cheap and common. Bytes that are no UTF-8 become U+DC80 to U+DCFF, one each, which no
 * valid text decodes to: a pattern then neither matches them nor loses its place.
 */
export function decodeText(bytes: Buffer, flags: number): string {
  if ((flags & UNIT_FLAGS.ascii) !== 0) return bytes.toString('latin1');
  if ((flags & UNIT_FLAGS.validUtf8) !== 0) return bytes.toString('utf8');
  return decodeMarked(bytes);
}

/** Text for people: what was no UTF-8 shows as U+FFFD, code unit for code unit. */
export function showText(text: string): string {
  return text.toWellFormed();
}

function decodeMarked(bytes: Buffer): string {
  const parts: string[] = [];
  let valid = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', valid, at), String.fromCharCode(0xdc00 + bytes[at]!));
    valid = ++at;
  }
  parts.push(bytes.toString('utf8', valid));
  return parts.join('');
}

/** Bytes of the well-formed sequence at `at` (Unicode table 3-7); 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const [low, high] = SECOND_BYTE.get(first) ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let index = 2; index < length; index++) {
    if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** First bytes that allow less behind them: no overlong forms, no surrogates, nothing above U+10FFFF. */
const SECOND_BYTE = new Map<number, readonly [number, number]>([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
