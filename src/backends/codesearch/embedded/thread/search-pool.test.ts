import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { InvalidInput, Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { OrganizationId, RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { CodeSearch, Query, SearchRequest, SearchResult } from '../../port.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';
import { SearchPool } from './search-pool.ts';
import type { TaskLimits } from './search-threads.ts';
import type { SearchTask } from './task.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const other = { organizationId: 'other' as OrganizationId, orgSlug: 'other' };
const third = { organizationId: 'third' as OrganizationId, orgSlug: 'third' };
const { signal } = new AbortController();
/** Deadline of a search that must be answered, in milliseconds. A flood keeps the threads for longer. */
const patientMs = 30_000;
const root = temporaryFolder();
const index = openTestIndex({ root, log: silentLog });
const repository = createRepository({
  'evil.txt': `${'x'.repeat(60)}\n`,
  'a.ts': 'const needle = 1;\n',
  'slow.txt': `${randomLine(600_000)}\n`,
});
let search: CodeSearch;

/** A pattern that V8 does not finish on 60 letters. A linear-time engine answers at once. */
const hostile: Query = { kind: 'regex', source: '(x+x+)+y|(x+x+)+z', caseSensitive: true, field: 'content' };
/** Takes many seconds in a linear-time engine, too. */
const endless: Query = {
  kind: 'regex',
  source: '(?:x.{0,20}){40}[^a-z]',
  caseSensitive: true,
  field: 'content',
};
const harmless: Query = { kind: 'literal', text: 'needle', caseSensitive: true, field: 'content' };

/** A pattern that works as intended. */
const pattern: Query = { kind: 'regex', source: 'needl[e]', caseSensitive: true, field: 'content' };

/** Returns pseudo-random letters, the same each time, without a structure that a pattern could exploit. */
function randomLine(length: number): string {
  let seed = 7;
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return 'xw'[(seed >>> 16) & 1];
  }).join('');
}

function requestOf(query: Query, deadlineMs: number): SearchRequest {
  return { query, limit: 10, matchesPerFile: 1, contextLines: 0, deadlineMs };
}

function runSearch(query: Query, deadlineMs: number, within = signal): Promise<SearchResult> {
  return search.search(scope, requestOf(query, deadlineMs), within);
}

/** Runs a test with its own engine, whose hanging searches end with the test. */
async function withEngine(threads: number, test: (engine: CodeSearch) => Promise<void>): Promise<void> {
  const engine = openCodeSearch({ root, log: silentLog, threads });
  try {
    // Warms the threads up, because a thread that has not started its task is not terminated at the deadline.
    await engine.search(other, requestOf(harmless, patientMs), signal);
    await test(engine);
  } finally {
    await engine.close();
  }
}

/** Starts `count` searches at once that hang longer than the test. */
function flood(engine: CodeSearch, count: number, from = scope): void {
  for (let started = 0; started < count; started++) {
    engine.search(from, requestOf(endless, 10_000), signal).catch(() => undefined);
  }
}

function taskOf(query: Query): SearchTask {
  return { kind: 'search', organizationId: scope.organizationId, request: requestOf(query, patientMs) };
}

/** Returns limits of a task that may wait and run for so long. */
function limitsOf(milliseconds: number): TaskLimits {
  return { waitMs: milliseconds, deadlineMs: milliseconds };
}

function literal(text: string): Query {
  return { kind: 'literal', text, caseSensitive: true, field: 'content' };
}

/** Creates a pool whose threads handle messages with the given function. */
function answeringPool(threads: number, answer: string): SearchPool {
  const source = `import { parentPort, threadId, workerData } from 'node:worker_threads'; parentPort.on('message', ${answer})`;
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  return new SearchPool({ root, log: silentLog, threads, entry });
}

/**
 * Returns the threads of this process with a lower priority. The 19th field of `stat` (proc_pid_stat(5)) is the nice
 * value, and names may contain spaces.
 */
function threadsOfLowPriority(): string[] {
  return readdirSync('/proc/self/task').filter((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] === '10';
  });
}

async function apply(id: string, scopeOf = scope): Promise<void> {
  const to = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  await index.apply(indexRequest({ scope: scopeOf, repository: id, gitDir, to }), signal);
}

beforeAll(async () => {
  await apply('repo');
  await apply('repo-of-other', other);
  await apply('repo-of-third', third);
  search = openCodeSearch({ root, log: silentLog, threads: 2 });
  await runSearch(harmless, patientMs);
});
afterAll(async () => {
  await search.close();
});

describe('a search thread', () => {
  it('starts when the server listens, and answers the searches that came before', async () => {
    const listening = Promise.withResolvers<void>();
    const engine = openCodeSearch({ root, log: silentLog, threads: 1, startWhen: listening.promise });
    try {
      const found = engine.search(other, requestOf(harmless, patientMs), signal);
      listening.resolve();
      expect((await found).files).toHaveLength(1);
    } finally {
      await engine.close();
    }
  });

  it('that hangs in a pattern is terminated at the deadline', async () => {
    const result = await runSearch(endless, 300);
    expect(result).toMatchObject({ files: [], incomplete: 'deadline' });
    expect((await runSearch(harmless, patientMs)).files).toHaveLength(1);
  });

  it('that hangs is detected before the deadline, and the safe engine returns the complete result', async () => {
    const found: Query = { kind: 'or', operands: [hostile, harmless] };
    const result = await runSearch(found, 60_000);
    expect(result.files.map((file) => file.path)).toEqual(['a.ts']);
    expect(result.incomplete).toBeUndefined();
  });

  it('does not hang a second time in the same pattern', async () => {
    await runSearch(hostile, 10_000);
    const pool = new SearchPool({ root, log: silentLog, threads: 1 });
    const task = { kind: 'search', organizationId: scope.organizationId } as const;
    const run = async (): Promise<number> => {
      // Processor time, because a hanging thread uses it, and other processes do not add to it.
      const started = process.cpuUsage();
      await pool.run({ ...task, request: requestOf(hostile, 10_000) }, limitsOf(10_000), signal);
      return process.cpuUsage(started).user / 1000;
    };
    const first = await run();
    await run();
    const again = await run();
    expect(first).toBeGreaterThan(150);
    expect(again).toBeLessThan(first / 2);
    await pool.close();
  });

  it('that hangs after its caller aborted is terminated, and its task is not restarted', async () => {
    await withEngine(1, async (engine) => {
      const gone = new AbortController();
      const stuck = engine.search(scope, requestOf(endless, 10_000), gone.signal);
      gone.abort(new Error('gone'));
      await expect(stuck).rejects.toThrow('gone');
      // The only thread that this organization may use is available long before that deadline.
      expect((await engine.search(scope, requestOf(harmless, patientMs), signal)).files).toHaveLength(1);
    });
  });

  it('that hangs does not delay other searches', async () => {
    await runSearch(harmless, patientMs);
    let isStuck = true;
    const stuck = runSearch(endless, 5000).finally(() => {
      isStuck = false;
    });
    for (let count = 0; count < 5; count++)
      expect((await runSearch(harmless, patientMs)).files).toHaveLength(1);
    expect(isStuck).toBe(true);
    expect((await stuck).incomplete).toBe('deadline');
  });

  it('is replaced each time it is terminated', async () => {
    await withEngine(2, async (engine) => {
      for (const from of [scope, other, third]) {
        const hanging = [1, 2].map(() => engine.search(from, requestOf(endless, 1000), signal));
        // On a busy machine a thread may start only after the deadline of its search: that search is rejected.
        const ends = await Promise.all(
          hanging.map((each) =>
            each
              .then(({ incomplete }) => incomplete)
              .catch((error: unknown) => (error instanceof Unavailable ? error.code : error)),
          ),
        );
        expect(ends.every((end) => end === 'deadline' || end === 'overloaded')).toBe(true);
        expect((await engine.search(from, requestOf(harmless, patientMs), signal)).files).toHaveLength(1);
      }
    });
  });

  it('that answers while it is being terminated gets no further task', async () => {
    const pool = answeringPool(
      1,
      `({ id, shared }) => {
        Atomics.add(shared, 1, 1);
        parentPort.postMessage({ id, result: {} });
      }`,
    );
    for (let round = 0; round < 4; round++) {
      expect(await pool.run(taskOf(harmless), limitsOf(5000), signal)).toEqual({});
      await new Promise((resolve) => setImmediate(resolve));
      const timedOut = pool.run(taskOf(harmless), limitsOf(1), signal);
      // The answer and the deadline arrive while the event loop is blocked; timers run first.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      await timedOut;
    }
    await pool.close();
  });

  it('rejects at once when the caller aborts', async () => {
    const gone = new AbortController();
    const stuck = runSearch(endless, 500, gone.signal);
    gone.abort(new Error('gone'));
    await expect(stuck).rejects.toThrow('gone');
  });

  it('answers searches while repositories are added and removed', async () => {
    const changing = (async () => {
      for (let round = 0; round < 10; round++) {
        await apply('passing');
        await index.remove(scope, 'passing' as RepositoryId);
      }
    })();
    const state = { over: false };
    void changing.then(() => (state.over = true));
    while (!state.over) {
      const { files } = await runSearch(harmless, patientMs);
      expect(files.map((file) => file.repository)).toContain('repo');
    }
    await changing;
    expect((await runSearch(harmless, patientMs)).files).toHaveLength(1);
  });

  it('refuses tasks after it is closed', async () => {
    const closed = openCodeSearch({ root, log: silentLog, threads: 1 });
    const waiting = closed.rank(
      scope,
      { terms: ['needle'], identifiers: [], paths: [], question: '', limit: 1, waitMs: 30_000 },
      signal,
    );
    const closing = closed.close();
    await expect(waiting).rejects.toThrow('shutting down');
    await closing;
    const refused = closed.rank(
      scope,
      { terms: ['needle'], identifiers: [], paths: [], question: '', limit: 1, waitMs: 30_000 },
      signal,
    );
    await expect(refused).rejects.toThrow('shutting down');
  });
});

describe('an organization that floods the search', () => {
  it.each([1, 2])('does not keep another one from its %i threads', async (threads) => {
    await withEngine(threads, async (engine) => {
      flood(engine, 40);
      for (let count = 0; count < 5; count++) {
        expect((await engine.search(other, requestOf(harmless, patientMs), signal)).files).toHaveLength(1);
      }
    });
  });

  it('waits behind one that has no running search', async () => {
    await withEngine(2, async (engine) => {
      const ended = engine.search(scope, requestOf(endless, 300), signal);
      flood(engine, 10);
      flood(engine, 1, third);
      const waiting = engine.search(other, requestOf(harmless, patientMs), signal);
      expect((await ended).incomplete).toBe('deadline');
      expect((await waiting).files).toHaveLength(1);
    });
  });

  it('gets an overload error, not an empty result, for a search that never got a thread', async () => {
    await withEngine(2, async (engine) => {
      flood(engine, 2);
      const starved = engine.search(scope, requestOf(harmless, 200), signal);
      await expect(starved).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfter: 1 });
    });
  });

  it('runs one quarantined pattern at a time', async () => {
    await withEngine(2, async (engine) => {
      await engine.search(scope, requestOf(endless, 100), signal);
      flood(engine, 1);
      const second = engine.search(scope, requestOf(pattern, 2000), signal);
      await expect(second).rejects.toMatchObject({ code: 'overloaded' });
      expect((await engine.search(other, requestOf(pattern, patientMs), signal)).files).toHaveLength(1);
    });
  });

  it('has its patterns quarantined after one hung, while its other tasks run normally', async () => {
    await withEngine(1, async (engine) => {
      flood(engine, 3);
      expect((await engine.search(scope, requestOf(harmless, patientMs), signal)).files).toHaveLength(1);
      const ranked = engine.rank(
        scope,
        { terms: ['needle'], identifiers: [], paths: [], question: '', limit: 1, waitMs: 30_000 },
        signal,
      );
      expect((await ranked).files).toHaveLength(1);
      // No other organization is quarantined.
      expect((await engine.search(other, requestOf(pattern, patientMs), signal)).files).toHaveLength(1);
    });
  });

  it('does not block a third one together with another flooding one', async () => {
    await withEngine(2, async (engine) => {
      flood(engine, 20);
      flood(engine, 20, other);
      for (const query of [harmless, pattern, harmless, pattern]) {
        expect((await engine.search(third, requestOf(query, patientMs), signal)).files).toHaveLength(1);
      }
    });
  });

  it('gets at most one new quarantine thread per second', async () => {
    const starts = new BroadcastChannel('starts');
    let quarantine = 0;
    starts.addEventListener('message', ({ data }: MessageEvent<boolean>) => (quarantine += data ? 1 : 0));
    const pool = answeringPool(
      2,
      `({ shared }) => {
        Atomics.add(shared, 1, 1);
        new BroadcastChannel('starts').postMessage(workerData.hasLowPriority);
        for (;;);
      }`,
    );
    const run = (deadlineMs = 20): Promise<unknown> =>
      pool.run(taskOf(hostile), limitsOf(deadlineMs), signal).catch((error: unknown) => error);
    const began = performance.now();
    // It hangs first in a regular thread, then in one of the quarantine.
    expect(await run(500)).toBeUndefined();
    const outcomes = [];
    for (let count = 0; count < 10; count++) outcomes.push(await run());
    // A thread that starts late on a busy machine takes one of the later tasks, which times out in it.
    const limit = Math.ceil((performance.now() - began) / 1000);
    expect(quarantine).toBeLessThanOrEqual(limit);
    const refused = outcomes.filter((outcome) => outcome !== undefined);
    expect(refused.length).toBeGreaterThanOrEqual(outcomes.length - limit);
    expect(refused).toEqual(refused.map(() => expect.objectContaining({ code: 'overloaded' })));
    starts.close();
    await pool.close();
  });

  // Under `nice -n 10` or more, no thread is distinguishable by its priority.
  const hasPriorities = process.platform === 'linux' && getPriority() < 10;
  it.runIf(hasPriorities)('has its quarantined patterns run at a lower priority', async () => {
    await withEngine(1, async (engine) => {
      const before = new Set(threadsOfLowPriority());
      flood(engine, 3);
      const others = (): string[] => threadsOfLowPriority().filter((id) => !before.has(id));
      await expect.poll(others).toHaveLength(1);
    });
  });

  it('is refused further tasks when its queue is full, without affecting another one', async () => {
    await withEngine(1, async (engine) => {
      flood(engine, 1 + 128);
      const started = performance.now();
      const refused = engine.search(scope, requestOf(harmless, patientMs), signal);
      await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryAfter: 1 });
      expect(performance.now() - started).toBeLessThan(patientMs - 5_000);
      expect((await engine.search(other, requestOf(harmless, patientMs), signal)).files).toHaveLength(1);
    });
  });
});

it('warms up unused threads with a task that was answered quickly', async () => {
  const asked = new BroadcastChannel('asked');
  const pool = answeringPool(
    2,
    `({ id, task }) => {
      const { text } = task.request.query;
      new BroadcastChannel('asked').postMessage(threadId + ' ' + text);
      if (text === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
      parentPort.postMessage({ id, result: {} });
    }`,
  );
  const seen = new Set<string>();
  let slow = 0;
  const all = new Promise<void>((resolve) => {
    asked.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (!data.endsWith(' slow') && seen.add(data).size === 3) resolve();
      if (data.endsWith(' slow')) slow += 1;
    });
  });
  await pool.run(taskOf(literal('slow')), limitsOf(5000), signal);
  await pool.run(taskOf(harmless), limitsOf(5000), signal);
  await all;
  expect([...seen].every((what) => what.endsWith(' needle'))).toBe(true);
  expect(slow).toBe(1);
  asked.close();
  await pool.close();
});

it('reports an error in a pattern that only the thread detected', async () => {
  const pool = new SearchPool({ root, log: silentLog, threads: 1 });
  const query: Query = { kind: 'regex', source: '(', caseSensitive: true, field: 'content' };
  const request = requestOf(query, 1000);
  const pending = pool.run(
    { kind: 'search', organizationId: scope.organizationId, request },
    limitsOf(5000),
    signal,
  );
  const refusal = await pending.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(InvalidInput);
  expect(refusal).toMatchObject({ message: expect.stringContaining('regular'), errors: [{ path: '/q' }] });
  await pool.close();
});

describe('threads that cannot start', () => {
  it('are restarted with a growing back-off, and the error is logged once', async () => {
    const logged: object[] = [];
    const log = { ...silentLog, error: (detail: object) => void logged.push(detail) };
    const entry = new URL('data:text/javascript,throw new Error("cannot start")');
    const pool = new SearchPool({ root, log, threads: 1, entry });
    const task = {
      kind: 'search',
      organizationId: scope.organizationId,
      request: requestOf(harmless, 100),
    } as const;
    await expect(pool.run(task, limitsOf(2_000), signal)).rejects.toThrow();
    await vi.waitFor(() => expect(logged.length).toBeGreaterThan(2), 120_000);
    await pool.close();
    expect(logged.length).toBeLessThan(10);
    expect(logged.filter((detail) => 'err' in detail)).toHaveLength(1);
    expect(logged.at(1)).toMatchObject({ failures: 2, pauseMs: 200 });
  });
});
