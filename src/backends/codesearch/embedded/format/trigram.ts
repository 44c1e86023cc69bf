/**
 * The trigram alphabet has 7 bits: ASCII folded to lower case, and bytes from 0x80 hashed into the 26 codes that the
 * upper-case letters left free. One index so serves case-sensitive and case-insensitive queries; hashing only makes
 * more candidates, never fewer.
 */
export const TRIGRAMS = 1 << 21;

export const FOLD: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return 0x41 + (byte % 26);
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
});

/** The distinct trigrams of folded bytes that stand together. */
export function trigramsOf(bytes: Uint8Array): number[] {
  const found = new Set<number>();
  for (let at = 2; at < bytes.length; at++) {
    found.add((FOLD[bytes[at - 2]!]! << 14) | (FOLD[bytes[at - 1]!]! << 7) | FOLD[bytes[at]!]!);
  }
  return [...found];
}
