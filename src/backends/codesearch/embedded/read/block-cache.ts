/** Decompressed blocks of the segments that one thread has open; the longest unused ones make room. */
export interface BlockCache {
  /** For one segment, whose blocks are told from those of others. */
  ofSegment(): SegmentBlocks;
}

export interface SegmentBlocks {
  get(block: number): Buffer | undefined;
  /** `bytes` must not change any more. */
  add(block: number, bytes: Buffer): void;
  /** The segment is closed. */
  clear(): void;
}

/** `mostBytes` of text; one larger block is kept by itself. */
export function blockCache(mostBytes: number): BlockCache {
  /** In order of use, the latest last. */
  const blocks = new Map<string, Buffer>();
  let held = 0;
  let segments = 0;
  const forget = (key: string): void => {
    held -= blocks.get(key)?.length ?? 0;
    blocks.delete(key);
  };
  return {
    ofSegment: () => {
      const segment = segments++;
      const mine = new Set<number>();
      const keyOf = (block: number): string => `${segment} ${block}`;
      return {
        get: (block) => {
          const key = keyOf(block);
          const bytes = blocks.get(key);
          if (bytes === undefined) return undefined;
          blocks.delete(key);
          blocks.set(key, bytes);
          return bytes;
        },
        add: (block, bytes) => {
          const key = keyOf(block);
          forget(key);
          mine.add(block);
          blocks.set(key, bytes);
          held += bytes.length;
          for (const oldest of blocks.keys()) {
            if (held <= mostBytes || oldest === key) break;
            forget(oldest);
          }
        },
        clear: () => {
          for (const block of mine) forget(keyOf(block));
          mine.clear();
        },
      };
    },
  };
}
