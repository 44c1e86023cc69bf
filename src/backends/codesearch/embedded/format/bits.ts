/** A set of small integers as 32-bit words. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function fullBits(size: number): Bits {
  const bits = emptyBits(size).fill(0xffffffff);
  if ((size & 31) !== 0) bits[bits.length - 1] = (1 << (size & 31)) - 1;
  return bits;
}

export function hasBit(bits: Bits, index: number): boolean {
  return (bits[index >>> 5]! & (1 << (index & 31))) !== 0;
}

export function setBit(bits: Bits, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31);
}

export function andBits(left: Bits, right: Bits): Bits {
  const both = new Uint32Array(left.length);
  for (let word = 0; word < both.length; word++) both[word] = left[word]! & right[word]!;
  return both;
}

export function orBits(left: Bits, right: Bits): Bits {
  const either = new Uint32Array(left.length);
  for (let word = 0; word < either.length; word++) either[word] = left[word]! | right[word]!;
  return either;
}

export function notBits(bits: Bits, size: number): Bits {
  const others = fullBits(size);
  for (let word = 0; word < others.length; word++) others[word]! &= ~bits[word]!;
  return others;
}

/** Counts the members. Adds up pairs, then groups of four, then bytes of each word in parallel. */
export function countBits(bits: Bits): number {
  let count = 0;
  for (let at = 0; at < bits.length; at++) {
    let word = bits[at]!;
    if (word === 0) continue;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Yields the members from `from` up to `to` (exclusive), ascending. */
export function* eachBit(bits: Bits, from: number, to: number): Generator<number> {
  for (let index = nextBit(bits, from, to); index < to; index = nextBit(bits, index + 1, to)) yield index;
}

/** Calls `visit` with the members below `size`, ascending. For loops over most documents: `eachBit` makes garbage of each. */
export function forEachBit(bits: Bits, size: number, visit: (index: number) => void): void {
  for (let index = nextBit(bits, 0, size); index < size; index = nextBit(bits, index + 1, size)) visit(index);
}

/** Returns the first member at or after `from`, or `to` if there is none before it. */
export function nextBit(bits: Bits, from: number, to: number): number {
  let index = from;
  while (index < to) {
    const word = bits[index >>> 5]! >>> (index & 31);
    if (word !== 0) return Math.min(to, index + 31 - Math.clz32(word & -word));
    index = ((index >>> 5) + 1) << 5;
  }
  return to;
}
