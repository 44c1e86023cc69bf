export interface GrowingBytes {
  readonly length: number;
  append(chunk: Buffer): void;
  whole(): Buffer;
}

/** Memory that is taken at once where it is known to be enough. */
const smallPiece = 64 * 1024;

/**
 * Bytes in one piece of memory that doubles: of what comes in chunks of one byte, the chunks themselves would take a
 * hundred times as much. At most `most` bytes; `take` is told of memory before it is taken, and may throw.
 */
export function growingBytes(most: number, take: (bytes: number) => void): GrowingBytes {
  let memory = Buffer.alloc(0);
  let length = 0;

  const grow = (needed: number): void => {
    const size = Math.max(needed, Math.min(most, Math.max(2 * memory.length, smallPiece)));
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
