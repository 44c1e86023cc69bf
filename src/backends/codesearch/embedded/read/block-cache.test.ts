import { describe, expect, it } from 'vitest';
import { blockCache } from './block-cache.ts';

const bytes = (length: number): Buffer => Buffer.alloc(length);

describe('a cache of blocks', () => {
  it('evicts the least recently used block', () => {
    const blocks = blockCache(250).ofSegment();
    blocks.add(0, bytes(100));
    blocks.add(1, bytes(100));
    blocks.get(0);
    blocks.add(2, bytes(100));
    expect([0, 1, 2].map((block) => blocks.get(block)?.length)).toEqual([100, undefined, 100]);
  });

  it('keeps one block that is larger than the cache, and no other', () => {
    const blocks = blockCache(250).ofSegment();
    blocks.add(0, bytes(10));
    blocks.add(1, bytes(1000));
    expect([0, 1].map((block) => blocks.get(block)?.length)).toEqual([undefined, 1000]);
  });

  it('separates segments, and frees the space of a closed one', () => {
    const cache = blockCache(250);
    const closed = cache.ofSegment();
    const open = cache.ofSegment();
    closed.add(0, bytes(200));
    expect(open.get(0)).toBeUndefined();
    closed.clear();
    expect(closed.get(0)).toBeUndefined();
    open.add(0, bytes(150));
    open.add(1, bytes(100));
    expect(open.get(0)).toHaveLength(150);
  });
});
