import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { Query } from '../../port.ts';
import { SearchPool } from './search-pool.ts';
import type { SearchTask } from './task.ts';

const organization = 'org' as OrganizationId;
const other = 'other' as OrganizationId;
const { signal } = new AbortController();
const root = temporaryFolder();

/**
 * The message handler of a test thread. It answers where and how the task ran. The query selects what happens: `hang`
 * hangs only outside the quarantine, and `pause until` waits for the cancellation of the task.
 */
const answer = `({ id, task, shared, engine }) => {
  const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  const { source, text } = task.request.query;
  const what = source ?? text;
  const isQuarantined = workerData.hasLowPriority;
  if (what.startsWith('late start')) wait(500);
  Atomics.add(shared, 1, 1);
  if (what.startsWith('hang') && !isQuarantined) for (;;);
  if (what.startsWith('stop')) for (;;);
  if (what.startsWith('pause')) {
    new BroadcastChannel('paused').postMessage(what);
    if (what.startsWith('pause until')) while (Atomics.load(shared, 0) === 0) wait(10);
    else wait(500);
  }
  const incomplete = what.startsWith('slow') ? 'deadline' : undefined;
  parentPort.postMessage({ id, result: { isQuarantined, engine, incomplete } });
}`;
const source = `import { parentPort, workerData } from 'node:worker_threads'; parentPort.on('message', ${answer})`;
const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const quarantine = { isQuarantined: true, engine: 'safe' };
const regular = { isQuarantined: false, engine: 'fast' };

async function withPool(
  threads: number,
  test: (
    run: (query: Query, deadlineMs?: number, from?: OrganizationId, callerId?: string) => Promise<unknown>,
  ) => Promise<void>,
): Promise<void> {
  const pool = new SearchPool({ root, log: silentLog, threads, entry });
  const run = (query: Query, deadlineMs = 5000, from = organization, callerId = 'ada'): Promise<unknown> =>
    pool.run({ ...taskOf(query, from), callerId }, { waitMs: deadlineMs, deadlineMs }, signal);
  try {
    await run(literal('warm'));
    await test(run);
  } finally {
    await pool.close();
  }
}

function taskOf(query: Query, organizationId: OrganizationId): SearchTask {
  const request = { query, limit: 10, matchesPerFile: 1, contextLines: 0, deadlineMs: 5000 };
  return { kind: 'search', organizationId, request };
}

function literal(text: string): Query {
  return { kind: 'literal', text, caseSensitive: true, field: 'content' };
}

function regex(pattern: string): Query {
  return { kind: 'regex', source: pattern, caseSensitive: true, field: 'content' };
}

/** Resolves when a thread pauses in this task. Must be called before the task starts, or the message may be missed. */
async function pauseOf(word: string): Promise<void> {
  const paused = new BroadcastChannel('paused');
  await new Promise<void>((resolve) => {
    paused.addEventListener('message', ({ data }: MessageEvent<string>) => data === word && resolve());
  });
  paused.close();
}

describe('the quarantine', () => {
  it('does not apply to a pattern that had not started by its deadline, whose thread is kept', async () => {
    await withPool(1, async (run) => {
      expect(await run(regex('late start'), 100)).toBeUndefined();
      expect(await run(regex('honest'))).toMatchObject(regular);
    });
  });

  it('runs patterns with the safe engine and without a progress check', async () => {
    await withPool(1, async (run) => {
      expect(await run(regex('hang'))).toMatchObject(quarantine);
      expect(await run(regex('pause'))).toMatchObject(quarantine);
    });
  });

  it('ends ten seconds after a thread hung, regardless of slowness during the quarantine', async () => {
    await withPool(1, async (run) => {
      vi.useFakeTimers({ toFake: ['performance'] });
      try {
        await run(regex('hang'));
        vi.advanceTimersByTime(9000);
        expect(await run(regex('stop'), 300)).toBeUndefined();
        vi.advanceTimersByTime(1001);
        expect(await run(regex('honest'))).toMatchObject(regular);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it('takes no queue slots of other tasks', async () => {
    await withPool(2, async (run) => {
      const floods = Array.from({ length: 5 }, (_, n) => `f${n}` as OrganizationId);
      for (const from of floods) await run(regex('slow'), 5000, from);
      const flooding = floods.flatMap((from) =>
        Array.from({ length: 128 }, (_, n) => run(regex(`pause ${n}`), 60_000, from).catch(() => undefined)),
      );
      expect(await run(literal('word'))).toMatchObject({ isQuarantined: false });
      expect(flooding).toHaveLength(5 * 128);
    });
  });

  it('applies to waiting tasks as soon as a task of their caller hangs', async () => {
    await withPool(1, async (run) => {
      const hanging = run(regex('hang'), 10_000);
      const waiting = run(regex('honest'), 10_000);
      expect(await Promise.all([hanging, waiting])).toMatchObject([quarantine, quarantine]);
    });
  });

  it('applies to no task without a pattern, whose late thread is kept', async () => {
    await withPool(2, async (run) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        for (const word of ['pause until 1', 'pause until 2']) {
          const paused = pauseOf(word);
          const late = run(literal(word), 10);
          await paused;
          await vi.advanceTimersByTimeAsync(6_000);
          expect(await late).toBeUndefined();
        }
      } finally {
        vi.useRealTimers();
      }
      expect(await run(literal('pause'))).toMatchObject({ isQuarantined: false });
      expect(await run(literal('word'))).toMatchObject({ isQuarantined: false });
      expect(await run(regex('honest'))).toMatchObject(regular);
    });
  });

  it('applies to the patterns of a caller after one reached its deadline, and to those of no other caller', async () => {
    await withPool(1, async (run) => {
      expect(await run(regex('slow'))).toMatchObject(regular);
      expect(await run(regex('honest'))).toMatchObject(quarantine);
      expect(await run(regex('honest'), 5000, organization, 'bob')).toMatchObject(regular);
      expect(await run(regex('honest'), 5000, other)).toMatchObject(regular);
    });
  });
});
