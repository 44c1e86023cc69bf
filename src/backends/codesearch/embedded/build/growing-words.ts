const CHUNK = 1 << 18;

/** A list of 32-bit numbers in chunks, so that growing copies nothing and holds no objects. */
export interface GrowingWords {
  push(value: number): void;
  append(values: Uint32Array): void;
  length(): number;
  /** In order; nothing may be added while they are looked at. */
  chunks(): readonly Uint32Array[];
}

export function growingWords(): GrowingWords {
  const full: Uint32Array[] = [];
  let last = new Uint32Array(CHUNK);
  let used = 0;
  const extend = (): void => {
    full.push(last);
    last = new Uint32Array(CHUNK);
    used = 0;
  };
  return {
    push: (value) => {
      if (used === CHUNK) extend();
      last[used++] = value;
    },
    append: (values) => {
      for (let from = 0; from < values.length; ) {
        if (used === CHUNK) extend();
        const part = values.subarray(from, from + CHUNK - used);
        last.set(part, used);
        used += part.length;
        from += part.length;
      }
    },
    length: () => full.length * CHUNK + used,
    chunks: () => [...full, last.subarray(0, used)],
  };
}
