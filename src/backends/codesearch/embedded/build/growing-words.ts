const CHUNK_BITS = 18;
const CHUNK = 1 << CHUNK_BITS;

/** A list of 32-bit numbers in chunks, so that growing copies nothing and holds no objects. */
export interface GrowingWords {
  push(value: number): void;
  length(): number;
  at(index: number): number;
}

export function growingWords(): GrowingWords {
  const chunks: Uint32Array[] = [];
  let last = new Uint32Array(0);
  let used = 0;
  return {
    push: (value) => {
      if (used === last.length) {
        last = new Uint32Array(CHUNK);
        chunks.push(last);
        used = 0;
      }
      last[used++] = value;
    },
    length: () => Math.max(0, chunks.length - 1) * CHUNK + used,
    at: (index) => chunks[index >>> CHUNK_BITS]![index & (CHUNK - 1)]!,
  };
}
