import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedResults } from './shared-results.ts';

const never = new AbortController().signal;
const limits = { maxBytes: 10, keptMs: 60_000 };

/** Counts the computations of `text`. */
function counted() {
  const runs: string[] = [];
  const compute = (text: string) => async (): Promise<string> => {
    runs.push(text);
    return text;
  };
  return { runs, compute };
}

it('computes once for calls at once and for later ones', async () => {
  const shared = new SharedResults<string>(limits, (text) => text.length);
  const { runs, compute } = counted();
  const all = await Promise.all(Array.from({ length: 12 }, () => shared.get('a', compute('one'), never)));
  expect(all).toEqual(Array.from({ length: 12 }, () => 'one'));
  expect(await shared.get('a', compute('two'), never)).toBe('one');
  expect(await shared.get('b', compute('two'), never)).toBe('two');
  expect(runs).toEqual(['one', 'two']);
});

it('keeps at most the given size, drops the least recently used first, and keeps nothing that has no size', async () => {
  const shared = new SharedResults<string>(limits, (text) => (text === 'late' ? undefined : text.length));
  const { runs, compute } = counted();
  for (const key of [
    'aaaa',
    'bbbb',
    'aaaa',
    'cccc',
    'aaaa',
    'bbbb',
    'longer than ten',
    'longer than ten',
    'late',
    'late',
  ])
    await shared.get(key, compute(key), never);
  expect(runs).toEqual([
    'aaaa',
    'bbbb',
    'cccc',
    'bbbb',
    'longer than ten',
    'longer than ten',
    'late',
    'late',
  ]);
});

it('computes again after the time', async () => {
  const shared = new SharedResults<string>({ ...limits, keptMs: 0 }, (text) => text.length);
  const { runs, compute } = counted();
  await shared.get('a', compute('one'), never);
  await shared.get('a', compute('two'), never);
  expect(runs).toEqual(['one', 'two']);
});

it('goes on for the callers that stay, and stops when the last one is gone', async () => {
  const shared = new SharedResults<string>(limits, (text) => text.length);
  const stopped: unknown[] = [];
  const compute = async (signal: AbortSignal): Promise<string> => {
    await sleep(20, undefined, { signal }).catch((error: unknown) => {
      stopped.push(error);
      throw error;
    });
    return 'done';
  };
  const leaving = new AbortController();
  const both = [shared.get('a', compute, leaving.signal), shared.get('a', compute, never)];
  leaving.abort(new Error('gone'));
  await expect(both[0]).rejects.toThrow('gone');
  expect(await both[1]).toBe('done');
  expect(stopped).toEqual([]);
  const alone = new AbortController();
  const last = shared.get('b', compute, alone.signal);
  alone.abort(new Error('gone'));
  await expect(last).rejects.toThrow('gone');
  expect(await shared.get('b', compute, never)).toBe('done');
  expect(stopped).toHaveLength(1);
});

it('gives an error to all callers and keeps none', async () => {
  const shared = new SharedResults<string>(limits, (text) => text.length);
  const fail = () => Promise.reject(new Error('full'));
  const both = [shared.get('a', fail, never), shared.get('a', fail, never)];
  for (const each of both) await expect(each).rejects.toThrow('full');
  expect(await shared.get('a', async () => 'free', never)).toBe('free');
});
