import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeSearch, OnStart, RankRequest, RankResult } from '../../backends/codesearch/port.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';

/** Delays before a refused task is tried again, in milliseconds. The first one doubles up to the last. */
const backOff = { min: 100, max: 2_000 };
/** Time that a task waits before it is reported as waiting, in milliseconds. */
const reportMs = 500;

/** Code search for one question, whose tasks wait for as long as the question may take. */
export interface PatientSearch extends Pick<CodeSearch, 'search'> {
  rank(scope: DataScope, request: Omit<RankRequest, 'waitMs'>, signal: AbortSignal): Promise<RankResult>;
}

/**
 * Returns code search whose tasks wait until the end of the question, a time of `performance.now()`, also when the
 * queue is full. `onWaiting` is called when a task has waited for half a second.
 */
export function patientSearch(
  codeSearch: Pick<CodeSearch, 'search' | 'rank'>,
  until: number,
  onWaiting?: () => void,
): PatientSearch {
  const run = async <Result>(
    signal: AbortSignal,
    call: (waitMs: number, onStart: OnStart) => Promise<Result>,
  ): Promise<Result> => {
    const timer = setTimeout(() => onWaiting?.(), reportMs);
    try {
      for (let pauseMs = backOff.min; ; pauseMs = Math.min(2 * pauseMs, backOff.max)) {
        try {
          const waitMs = Math.max(0, Math.floor(until - performance.now()));
          return await call(waitMs, () => clearTimeout(timer));
        } catch (error) {
          const isOverload = error instanceof Unavailable && error.code === 'overloaded';
          if (!isOverload || performance.now() + pauseMs >= until) throw error;
        }
        await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    search: (scope, request, signal) =>
      run(signal, (waitMs, onStart) => codeSearch.search(scope, { ...request, waitMs }, signal, onStart)),
    rank: (scope, request, signal) =>
      run(signal, (waitMs, onStart) => codeSearch.rank(scope, { ...request, waitMs }, signal, onStart)),
  };
}

/**
 * Resolves with `undefined` if some work does not end in time. Its signal then aborts, so that the work stops at its
 * next step.
 */
export async function inTime<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = AbortSignal.timeout(milliseconds);
  const ended = once(late, 'abort').then(() => undefined);
  return await Promise.race([work(AbortSignal.any([signal, late])), ended]);
}

/**
 * Returns the graph as a reader whose calls throw once the signal has aborted. A call that has begun ends by itself,
 * because each one is bounded; work of many calls stops before the next one.
 */
export function stoppableGraph(graph: GraphReader, signal: AbortSignal): GraphReader {
  return new Proxy(graph, {
    get(target, name): unknown {
      signal.throwIfAborted();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
