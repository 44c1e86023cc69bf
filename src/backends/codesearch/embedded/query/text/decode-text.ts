import { unitFlags } from '../../format/segment-sections.ts';

/**
 * Decodes bytes to text. Pure ASCII is cheap and common. Each byte that is not valid UTF-8 becomes one code unit from
 * U+DC80 to U+DCFF, to which no valid text decodes. Patterns therefore do not match such bytes, and offsets stay
 * correct.
 */
export function decodeText(bytes: Buffer, flags: number): string {
  if ((flags & unitFlags.ascii) !== 0) return bytes.toString('latin1');
  if ((flags & unitFlags.validUtf8) !== 0) return bytes.toString('utf8');
  return decodeMarked(bytes);
}

/** Returns text for display: each code unit of invalid UTF-8 becomes U+FFFD. */
export function displayText(text: string): string {
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

/** Returns the length in bytes of the well-formed sequence at `at` (Unicode table 3-7), or 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const [low, high] = secondByte.get(first) ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let index = 2; index < length; index++) {
    if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/**
 * Ranges of the second byte after first bytes that restrict it. They exclude overlong forms, surrogates and code
 * points above U+10FFFF.
 */
const secondByte = new Map<number, readonly [number, number]>([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);
