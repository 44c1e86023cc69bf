export interface GrowingBytes {
  readonly length: number;
  append(chunk: Buffer): void;
  whole(): Buffer;
}

/** Minimum size of the first allocation, in bytes. */
const minAllocation = 4 * 1024;

/**
 * Creates a growing buffer of at most `max` bytes that doubles its memory. Keeping a list of one-byte chunks instead
 * would use a hundred times as much. `take` is called with the size of each allocation before it is made, and may
 * throw.
 */
export function growingBytes(max: number, take: (bytes: number) => void): GrowingBytes {
  let memory = Buffer.alloc(0);
  let length = 0;

  const grow = (needed: number): void => {
    const size = Math.max(needed, Math.min(max, Math.max(2 * memory.length, minAllocation)));
    take(size - memory.length);
    const larger = Buffer.allocUnsafe(size);
    memory.copy(larger, 0, 0, length);
    memory = larger;
  };

  return {
    get length() {
      return length;
    },
    append(chunk) {
      if (length + chunk.length > memory.length) grow(length + chunk.length);
      chunk.copy(memory, length);
      length += chunk.length;
    },
    whole: () => memory.subarray(0, length),
  };
}
