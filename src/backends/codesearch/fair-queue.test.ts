import { expect, it } from 'vitest';
import { type FairQueue, fairQueue } from './fair-queue.ts';

const anyone = (): boolean => true;

function filled(items: readonly string[], limits = { each: 100, all: 100 }): FairQueue<string> {
  const queue = fairQueue<string>(limits);
  for (const item of items) queue.add(item.slice(0, 1), item);
  return queue;
}

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(anyone); item !== undefined; item = queue.take(anyone)) taken.push(item);
  return taken;
}

it('takes the oldest item of each owner, round-robin', () => {
  expect(takeAll(filled(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('skips an owner that may not take an item, without changing the order', () => {
  const queue = filled(['a1', 'a2', 'b1', 'b2']);
  expect(queue.take((owner) => owner !== 'a')).toBe('b1');
  expect(queue.take(anyone)).toBe('a1');
  expect(queue.take(() => false)).toBeUndefined();
  expect(takeAll(queue)).toEqual(['b2', 'a2']);
});

it('checks the oldest item of each owner', () => {
  const queue = filled(['a1', 'a2', 'b1']);
  expect(queue.take((_, item) => item !== 'a1')).toBe('b1');
  expect(takeAll(queue)).toEqual(['a1', 'a2']);
});

it('is full for one owner before it is full for all', () => {
  const queue = filled(['a1', 'a2'], { each: 2, all: 3 });
  expect(queue.add('a', 'a3')).toBe(false);
  expect(queue.add('b', 'b1')).toBe(true);
  expect(queue.add('c', 'c1')).toBe(false);
  expect(queue.take(anyone)).toBe('a1');
  expect(queue.add('c', 'c1')).toBe(true);
  expect(takeAll(queue)).toEqual(['b1', 'a2', 'c1']);
});

it('removes a queued item once', () => {
  const queue = filled(['a1', 'a2', 'b1'], { each: 2, all: 3 });
  expect(queue.remove('a', 'a1')).toBe(true);
  expect(queue.remove('a', 'a1')).toBe(false);
  expect(queue.remove('z', 'z1')).toBe(false);
  expect(queue.add('a', 'a3')).toBe(true);
  expect(takeAll(queue)).toEqual(['a2', 'b1', 'a3']);
});

it('is empty after drain', () => {
  const queue = filled(['a1', 'a2', 'b1'], { each: 2, all: 3 });
  expect(queue.drain()).toEqual(['a1', 'a2', 'b1']);
  expect(queue.take(anyone)).toBeUndefined();
  expect(queue.add('a', 'a3')).toBe(true);
});
