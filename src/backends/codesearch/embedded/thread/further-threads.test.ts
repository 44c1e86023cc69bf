import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { Query } from '../../port.ts';
import { SearchPool } from './search-pool.ts';
import type { SearchTask } from './task.ts';

const query: Query = { kind: 'literal', text: 'needle', caseSensitive: true, field: 'content' };
const task: SearchTask = {
  kind: 'search',
  organizationId: 'org' as OrganizationId,
  request: { query, limit: 10, matchesPerFile: 1, contextLines: 0, deadlineMs: 30_000 },
};
const limits = { waitMs: 30_000, deadlineMs: 30_000 };
const { signal } = new AbortController();

/**
 * Runs a test with a pool of two threads, which keeps one more, and the ids of those that have started. They handle
 * messages with the given function.
 */
async function withStarts(
  answer: string,
  test: (pool: SearchPool, started: ReadonlySet<number>) => Promise<void>,
): Promise<void> {
  const starts = new BroadcastChannel('starts');
  const started = new Set<number>();
  starts.addEventListener('message', ({ data }: MessageEvent<number>) => started.add(data));
  const source = `import { parentPort, threadId } from 'node:worker_threads';
    new BroadcastChannel('starts').postMessage(threadId);
    parentPort.on('message', ${answer});`;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const pool = new SearchPool({ root: temporaryFolder(), log: silentLog, threads: 2, entry });
  try {
    await vi.waitFor(() => expect(started.size).toBe(1), 10_000);
    await test(pool, started);
  } finally {
    starts.close();
    await pool.close();
  }
}

it('further threads start after the first answer', async () => {
  await withStarts('({ id }) => parentPort.postMessage({ id, result: {} })', async (pool, started) => {
    await setTimeout(200);
    expect(started.size).toBe(1);
    await pool.run(task, limits, signal);
    await vi.waitFor(() => expect(started.size).toBe(3), 10_000);
  });
});

it('further threads start when a task finds none idle', async () => {
  await withStarts('() => {}', async (pool, started) => {
    const tasks = [pool.run(task, limits, signal), pool.run(task, limits, signal)];
    const ended = Promise.allSettled(tasks);
    await vi.waitFor(() => expect(started.size).toBe(2), 10_000);
    await pool.close();
    await ended;
  });
});
