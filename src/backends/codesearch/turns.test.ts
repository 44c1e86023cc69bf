import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openOwnersTurns, openTurns } from './turns.ts';

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

it('gives another owner the next turn, however many pieces of work one asks for', async () => {
  const { begun, work, finish } = gated();
  const take = openOwnersTurns(3, 2);
  const ours = ['a1', 'a2', 'a3', 'a4'].map((name) => take('a', work(name), never));
  const theirs = ['b1', 'b2'].map((name) => take('b', work(name), never));
  await settled();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await finish('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await finish('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['b2', 'a2', 'a3', 'a4']) await finish(name);
  expect(await Promise.all([...ours, ...theirs])).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
});

it('lets one who waits behind its own work leave', async () => {
  const { begun, work, finish } = gated();
  const take = openOwnersTurns(2, 1);
  const leaving = new AbortController();
  const first = take('a', work('a1'), never);
  const second = expect(take('a', work('a2'), leaving.signal)).rejects.toThrow('gone');
  leaving.abort(new Error('gone'));
  await second;
  await finish('a1');
  await first;
  expect(begun).toEqual(['a1']);
  expect(await take('a', async () => 'free', never)).toBe('free');
});
