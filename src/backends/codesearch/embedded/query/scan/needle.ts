/** Bytes to look for; letters of ASCII in either case where `mask` folds them. */
export interface Needle {
  /** Where `mask` folds, lower-case. */
  readonly bytes: Buffer;
  /** 0x20 for a letter that may stand in either case, else 0. */
  readonly mask: Buffer;
  /**
   * Two places whose bytes are rare in source code, so that few others look like the needle; of different bytes where it
   * has them, so that a long run of one byte does not.
   */
  readonly first: number;
  readonly second: number;
  readonly anyCase: boolean;
}

/** From the most common byte of source code down; whatever is not listed is rarer. */
const COMMON = Buffer.from(' etrnaisolcdpumfhg_."(),=yv/b-w:kx0S1{};TECA2jIPR');
const COMMONNESS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const at = COMMON.indexOf(byte);
  return at < 0 ? 0 : COMMON.length - at;
});

export function needleOf(bytes: Buffer, anyCase: boolean): Needle {
  const isFolded = (byte: number): boolean => anyCase && /[A-Za-z]/.test(String.fromCharCode(byte));
  const mask = Buffer.from(bytes.map((byte) => (isFolded(byte) ? 0x20 : 0)));
  const folded = Buffer.from(bytes.map((byte, index) => byte | mask[index]!));
  const byRarity = Array.from(folded, (byte, index) => ({ index, common: COMMONNESS[byte]! })).toSorted(
    (a, b) => a.common - b.common,
  );
  const first = byRarity[0]?.index ?? 0;
  const other = byRarity.find(({ index }) => folded[index] !== folded[first]) ?? byRarity[1];
  return { bytes: folded, mask, first, second: other?.index ?? first, anyCase };
}

/** How little of other text the needle is likely to be found in: longer and rarer is more. */
export function rarityOf(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum + 1 + (COMMON.length - COMMONNESS[byte]!) / COMMON.length, 0);
}

/** Where the needle stands first at or after `from`, and ends by `to`, in any memory; -1 when nowhere. */
export function findAnywhere(needle: Needle, text: Buffer, from: number, to = text.length): number {
  const { bytes, mask, first, second, anyCase } = needle;
  if (!anyCase) return (to === text.length ? text : text.subarray(0, to)).indexOf(bytes, from);
  const last = to - bytes.length;
  const wanted = bytes[first]!;
  const fold = mask[first]!;
  for (let at = from; at <= last; at++) {
    if ((text[at + first]! | fold) !== wanted || (text[at + second]! | mask[second]!) !== bytes[second]!)
      continue;
    if (standsAt(needle, text, at)) return at;
  }
  return -1;
}

function standsAt({ bytes, mask }: Needle, text: Buffer, at: number): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if ((text[at + index]! | mask[index]!) !== bytes[index]!) return false;
  }
  return true;
}
