import { expect, it, vi } from 'vitest';
import { needleRanking, needleSearch } from '../../../../../test/support/codesearch/needle-tasks.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { SearchPool } from './search-pool.ts';
import type { Task } from './task.ts';

const { signal } = new AbortController();
const patient = { waitMs: 30_000, deadlineMs: 30_000 };
/** Creates a pool whose threads handle messages with the given function. */
function answeringPool(threads: number, answer: string): SearchPool {
  const source = `import { parentPort, threadId } from 'node:worker_threads'; parentPort.on('message', ${answer})`;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  return new SearchPool({ root: temporaryFolder(), log: silentLog, threads, entry });
}

/** Threads that answer a ranking after 0.3 s, which is their wait for a processor. */
const slowRanking = `({ id, task, shared }) => {
  const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  Atomics.add(shared, 1, 1);
  if (task.kind === 'rank') wait(300);
  parentPort.postMessage({ id, result: { files: [], unmatched: [] } });
}`;
it('answers sixteen rankings at once, of which each may run for less time than it waits', async () => {
  const pool = answeringPool(2, slowRanking);
  await pool.run(needleSearch, patient, signal);
  const limits = { waitMs: 50_000, deadlineMs: 500 };
  const starts: number[] = [];
  const all = Array.from({ length: 16 }, (_, at) =>
    pool.run(needleRanking, limits, signal, () => starts.push(at)),
  );
  // The last of them wait in the queue.
  expect(starts.length).toBeLessThan(4);
  const results = await Promise.all(all);
  expect(results.filter((result) => result === undefined)).toEqual([]);
  expect(starts).toEqual([...starts.keys()]);
  await pool.close();
});

it('warms up every thread with one ranking', async () => {
  const asked = new BroadcastChannel('ranked');
  const pool = answeringPool(
    2,
    `({ id, task }) => {
      new BroadcastChannel('ranked').postMessage(threadId + ' ' + task.kind);
      parentPort.postMessage({ id, result: { files: [], unmatched: [] } });
    }`,
  );
  const ranked: string[] = [];
  asked.addEventListener('message', ({ data }: MessageEvent<string>) => {
    if (data.endsWith(' rank')) ranked.push(data);
  });
  // One after the other, so that every thread has answered a search before the ranking.
  for (let count = 0; count < 4; count++) await pool.run(needleSearch, patient, signal);
  await pool.run(needleRanking, patient, signal);
  await vi.waitFor(() => expect(new Set(ranked).size).toBe(3), 120_000);
  await pool.run(needleSearch, patient, signal);
  expect(ranked).toHaveLength(3);
  asked.close();
  await pool.close();
});

it('warms up no thread with a slow ranking', async () => {
  const asked = new BroadcastChannel('slow');
  const pool = answeringPool(
    2,
    `({ id, task }) => {
      new BroadcastChannel('slow').postMessage(task.kind + ' ' + task.request.limit);
      const isSlow = task.request.limit === 1;
      if (isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
      parentPort.postMessage({ id, result: { files: [], unmatched: [] } });
    }`,
  );
  const ranked: string[] = [];
  asked.addEventListener('message', ({ data }: MessageEvent<string>) => {
    if (data.startsWith('rank')) ranked.push(data);
  });
  const slow = { ...needleRanking, request: { ...needleRanking.request, limit: 1 } } as Task;
  await pool.run(slow, patient, signal);
  await pool.run(needleRanking, patient, signal);
  // The other threads are warmed up with the second one.
  await vi.waitFor(() => expect(ranked.length).toBeGreaterThan(2), 120_000);
  expect(ranked.filter((one) => one === 'rank 1')).toHaveLength(1);
  asked.close();
  await pool.close();
});
