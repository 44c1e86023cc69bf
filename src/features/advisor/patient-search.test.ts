import { expect, it, onTestFinished, vi } from 'vitest';
import {
  type CodeSearch,
  noPassages,
  type RankRequest,
  type RankResult,
} from '../../backends/codesearch/port.ts';
import { overloaded } from '../../backends/codesearch/queue-errors.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';
import { inTime, patientSearch } from './patient-search.ts';

const scope = { organizationId: 'org' as OrganizationId };
const request: Omit<RankRequest, 'waitMs'> = {
  question: 'x',
  terms: ['x'],
  identifiers: [],
  paths: [],
  limit: 1,
};
const { signal } = new AbortController();
const found: RankResult = { files: [], passages: noPassages, unmatched: [] };

function engine(rank: CodeSearch['rank']): Pick<CodeSearch, 'search' | 'rank'> {
  return { rank, search: () => Promise.reject(new Error('not asked')) };
}

it('tries a refused task again until it is taken, with what is left of the question as its wait', async () => {
  const waits: number[] = [];
  const search = patientSearch(
    engine(async (_, { waitMs }) => {
      waits.push(waitMs);
      if (waits.length < 4) throw overloaded();
      return found;
    }),
    performance.now() + 50_000,
  );
  expect(await search.rank(scope, request, signal)).toBe(found);
  expect(waits).toHaveLength(4);
  expect(waits[0]).toBeGreaterThan(49_000);
  expect(waits[3]).toBeLessThan((waits[0] ?? 0) - 600);
});

it('gives up at the end of the question, at its cancellation, and at once for another error', async () => {
  let calls = 0;
  const full = engine(async () => {
    calls += 1;
    throw overloaded();
  });
  const soon = patientSearch(full, performance.now() + 250);
  await expect(soon.rank(scope, request, signal)).rejects.toMatchObject({ code: 'overloaded' });
  expect(calls).toBeLessThanOrEqual(2);
  const gone = new AbortController();
  const patient = patientSearch(full, performance.now() + 50_000);
  const cancelled = patient.rank(scope, request, gone.signal);
  gone.abort(new Error('gone'));
  await expect(cancelled).rejects.toThrow('gone');
  const broken = patientSearch(
    engine(() => Promise.reject(new Error('broken'))),
    performance.now() + 50_000,
  );
  await expect(broken.rank(scope, request, signal)).rejects.toThrow('broken');
});

it('reports a wait of half a second, and no shorter one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let reports = 0;
  const taken = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<RankResult>();
  const search = patientSearch(
    engine(async (_scope, _request, _signal, onStart) => {
      await taken.promise;
      onStart?.();
      return await ended.promise;
    }),
    performance.now() + 50_000,
    () => void (reports += 1),
  );
  const ranking = search.rank(scope, request, signal);
  await vi.advanceTimersByTimeAsync(499);
  expect(reports).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(reports).toBe(1);
  taken.resolve();
  const started = search.rank(scope, request, signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reports).toBe(1);
  ended.resolve(found);
  expect(await Promise.all([ranking, started])).toEqual([found, found]);
});

it('ends work that takes too long', async () => {
  let late: AbortSignal | undefined;
  const ended = inTime(50, new AbortController().signal, (given) => {
    late = given;
    return Promise.withResolvers<string>().promise;
  });
  expect(late?.aborted).toBe(false);
  expect(await ended).toBeUndefined();
  expect(late?.aborted).toBe(true);
});
