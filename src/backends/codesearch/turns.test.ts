import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openTurns } from './turns.ts';

const never = new AbortController().signal;

/** Work that says when it begins and ends when it is told to. */
function gated() {
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const work = (name: string) => async (): Promise<string> => {
    begun.push(name);
    await new Promise<void>((resolve) => end.set(name, resolve));
    return name;
  };
  const finish = async (name: string): Promise<void> => {
    end.get(name)?.();
    await settled();
  };
  return { begun, work, finish };
}

it('runs so many at once and the others in the order they came', async () => {
  const { begun, work, finish } = gated();
  const take = openTurns(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => take(work(name), never)));
  await settled();
  expect(begun).toEqual(['a', 'b']);
  await finish('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) await finish(name);
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

it('gives the turn on after a failure', async () => {
  const take = openTurns(1);
  await expect(take(() => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken');
  expect(await take(async () => 'next', never)).toBe('next');
});

it('lets one who waits leave, and nobody loses a turn by it', async () => {
  const { begun, work, finish } = gated();
  const take = openTurns(1);
  const leaving = new AbortController();
  const first = take(work('a'), never);
  const second = expect(take(work('b'), leaving.signal)).rejects.toThrow('gone');
  const third = take(work('c'), never);
  leaving.abort(new Error('gone'));
  await second;
  await settled();
  await finish('a');
  await finish('c');
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(begun).toEqual(['a', 'c']);
  expect(await take(async () => 'free', never)).toBe('free');
});
