/**
 * Number of trigrams. The alphabet has 7 bits: ASCII folded to lower case, and bytes from 0x80 hashed into the 26
 * codes of the upper-case letters. The same index therefore serves case-sensitive and case-insensitive queries.
 * Hashing can only add candidates, never remove them.
 */
export const trigrams = 1 << 21;

export const foldTable: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return 0x41 + (byte % 26);
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
});

/** Returns the distinct trigrams of contiguous bytes, folded. */
export function trigramsOf(bytes: Uint8Array): number[] {
  const found = new Set<number>();
  for (let at = 2; at < bytes.length; at++) {
    found.add(
      (foldTable[bytes[at - 2]!]! << 14) | (foldTable[bytes[at - 1]!]! << 7) | foldTable[bytes[at]!]!,
    );
  }
  return [...found];
}
