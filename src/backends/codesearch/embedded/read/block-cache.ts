/** A cache of decompressed blocks of the segments that one thread has open. Evicts the least recently used blocks. */
export interface BlockCache {
  /** Creates the cache of one segment. Its blocks are separate from those of other segments. */
  ofSegment(): SegmentBlocks;
}

export interface SegmentBlocks {
  get(block: number): Buffer | undefined;
  /** Adds a block. `bytes` must not change afterwards. */
  add(block: number, bytes: Buffer): void;
  /** Removes all blocks of the segment. Called when it is closed. */
  clear(): void;
}

/** Creates a cache of `maxBytes` of text. A larger block is kept on its own. */
export function blockCache(maxBytes: number): BlockCache {
  /** Ordered by last use, the most recent last. */
  const blocks = new Map<string, Buffer>();
  let held = 0;
  let segments = 0;
  const evict = (key: string): void => {
    held -= blocks.get(key)?.length ?? 0;
    blocks.delete(key);
  };
  return {
    ofSegment: () => {
      const segment = segments++;
      const ownBlocks = new Set<number>();
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
          evict(key);
          ownBlocks.add(block);
          blocks.set(key, bytes);
          held += bytes.length;
          for (const oldest of blocks.keys()) {
            if (held <= maxBytes || oldest === key) break;
            evict(oldest);
          }
        },
        clear: () => {
          for (const block of ownBlocks) evict(keyOf(block));
          ownBlocks.clear();
        },
      };
    },
  };
}
