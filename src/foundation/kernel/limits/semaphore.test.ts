import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openKeyedSemaphore, openSemaphore } from './semaphore.ts';

const never = new AbortController().signal;

/** Creates tasks that record their start and end when `finish` is called. */
function gated() {
  const started: string[] = [];
  const end = new Map<string, () => void>();
  const task = (name: string) => async (): Promise<string> => {
    started.push(name);
    await new Promise<void>((resolve) => end.set(name, resolve));
    return name;
  };
  const finish = async (name: string): Promise<void> => {
    end.get(name)?.();
    await settled();
  };
  return { started, task, finish };
}

it('runs the maximum number of tasks at once and the others in order of arrival', async () => {
  const { started, task, finish } = gated();
  const take = openSemaphore(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => take(task(name), never)));
  await settled();
  expect(started).toEqual(['a', 'b']);
  await finish('b');
  expect(started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd']) await finish(name);
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

it('releases the slot after a failure', async () => {
  const take = openSemaphore(1);
  await expect(take(() => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken');
  expect(await take(async () => 'next', never)).toBe('next');
});

it('cancels a waiting task without affecting the others', async () => {
  const { started, task, finish } = gated();
  const take = openSemaphore(1);
  const leaving = new AbortController();
  const first = take(task('a'), never);
  const second = expect(take(task('b'), leaving.signal)).rejects.toThrow('gone');
  const third = take(task('c'), never);
  leaving.abort(new Error('gone'));
  await second;
  await settled();
  await finish('a');
  await finish('c');
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(started).toEqual(['a', 'c']);
  expect(await take(async () => 'free', never)).toBe('free');
});

it('gives the next slot to another owner, regardless of how many tasks one owner submits', async () => {
  const { started, task, finish } = gated();
  const take = openKeyedSemaphore(3, 2);
  const firstOwner = ['a1', 'a2', 'a3', 'a4'].map((name) => take('a', task(name), never));
  const secondOwner = ['b1', 'b2'].map((name) => take('b', task(name), never));
  await settled();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await finish('a1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  await finish('b1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['b2', 'a2', 'a3', 'a4']) await finish(name);
  expect(await Promise.all([...firstOwner, ...secondOwner])).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
});

it('cancels a task that waits for another task of its owner', async () => {
  const { started, task, finish } = gated();
  const take = openKeyedSemaphore(2, 1);
  const leaving = new AbortController();
  const first = take('a', task('a1'), never);
  const second = expect(take('a', task('a2'), leaving.signal)).rejects.toThrow('gone');
  leaving.abort(new Error('gone'));
  await second;
  await finish('a1');
  await first;
  expect(started).toEqual(['a1']);
  expect(await take('a', async () => 'free', never)).toBe('free');
});

it('refuses a task of an owner who has the maximum number running or waiting', async () => {
  const { task, finish } = gated();
  const take = openKeyedSemaphore(3, 1, { maxPending: 2, refusal: () => new Error('too many') });
  const pending = [take('a', task('a1'), never), take('a', task('a2'), never)];
  expect(() => take('a', task('a3'), never)).toThrow('too many');
  expect(await take('b', async () => 'other', never)).toBe('other');
  await settled();
  await finish('a1');
  const next = take('a', task('a4'), never);
  for (const name of ['a2', 'a4']) await finish(name);
  expect(await Promise.all([...pending, next])).toEqual(['a1', 'a2', 'a4']);
});
