/** A byte string to search for. ASCII letters match in either case where `mask` folds them. */
export interface Needle {
  /** The bytes; in lower case where `mask` folds them. */
  readonly bytes: Buffer;
  /** 0x20 for a letter that matches in either case, else 0. */
  readonly mask: Buffer;
  /**
   * The offsets of two bytes that are rare in source code, so that few other positions resemble the needle. The two
   * bytes differ if possible, so that a long run of one byte does not resemble it.
   */
  readonly first: number;
  readonly second: number;
  readonly anyCase: boolean;
}

/** Bytes of source code, the most common first. Bytes that are not listed are rarer. */
const commonBytes = Buffer.from(' etrnaisolcdpumfhg_."(),=yv/b-w:kx0S1{};TECA2jIPR');
const commonness = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = commonBytes.indexOf(byte);
  return at < 0 ? 0 : commonBytes.length - at;
});

export function needleOf(bytes: Buffer, anyCase: boolean): Needle {
  const isFolded = (byte: number): boolean => anyCase && /[A-Za-z]/.test(String.fromCharCode(byte));
  const mask = Buffer.from(bytes.map((byte) => (isFolded(byte) ? 0x20 : 0)));
  const folded = Buffer.from(bytes.map((byte, index) => byte | mask[index]!));
  const byRarity = Array.from(folded, (byte, index) => ({ index, common: commonness[byte]! })).toSorted(
    (a, b) => a.common - b.common,
  );
  const first = byRarity[0]?.index ?? 0;
  const other = byRarity.find(({ index }) => folded[index] !== folded[first]) ?? byRarity[1];
  return { bytes: folded, mask, first, second: other?.index ?? first, anyCase };
}

/** Returns a score of how rare the bytes are in other text. It grows with their length and rarity. */
export function rarityOf(bytes: Buffer): number {
  return bytes.reduce(
    (sum, byte) => sum + 1 + (commonBytes.length - commonness[byte]!) / commonBytes.length,
    0,
  );
}

/** Returns the offset of the first occurrence of the needle in `[from, to)`, or -1. Works in any memory. */
export function findAnywhere(needle: Needle, text: Buffer, from: number, to = text.length): number {
  const { bytes, mask, first, second, anyCase } = needle;
  if (!anyCase) return (to === text.length ? text : text.subarray(0, to)).indexOf(bytes, from);
  const last = to - bytes.length;
  const wanted = bytes[first]!;
  const fold = mask[first]!;
  for (let at = from; at <= last; at++) {
    if ((text[at + first]! | fold) !== wanted || (text[at + second]! | mask[second]!) !== bytes[second]!)
      continue;
    if (matchesAt(needle, text, at)) return at;
  }
  return -1;
}

function matchesAt({ bytes, mask }: Needle, text: Buffer, at: number): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if ((text[at + index]! | mask[index]!) !== bytes[index]!) return false;
  }
  return true;
}
