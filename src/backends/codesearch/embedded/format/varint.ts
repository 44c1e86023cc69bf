/* Varints: numbers in groups of seven bits, least significant first; the high bit marks that more follow. */

/** Writes `value` (up to 32 bits) at `at` and returns the position after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let position = at;
  while (rest > 0x7f) {
    bytes[position++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[position++] = rest;
  return position;
}

/** Returns the number of bytes of a value of up to 32 bits. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++;
  return bytes;
}

/** A read position in a sequence of varints. */
export interface VarintCursor {
  readonly bytes: Uint8Array;
  at: number;
}

export function readVarint(cursor: VarintCursor): number {
  // Most values have one byte.
  const first = cursor.bytes[cursor.at]!;
  if (first < 0x80) {
    cursor.at++;
    return first;
  }
  let value = 0;
  let shift = 0;
  for (;;) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined) throw new RangeError('a varint is truncated');
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
    shift += 7;
  }
}
