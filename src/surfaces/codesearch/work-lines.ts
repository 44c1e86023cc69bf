import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexStatus } from '../../backends/codesearch/port.ts';
import { heartbeatMs, type WorkLine } from '../../backends/codesearch/remote/protocol/index-work.ts';

type Work = (onProgress: (done: number, total: number) => void) => Promise<IndexStatus | 'lacking'>;

/** Minimum interval between two progress lines, in milliseconds. */
const progressMs = 1_000;

/**
 * Runs work on an index and yields the lines of the response: progress once a second, heartbeats while there is none,
 * then the outcome. The work starts at once, even if no line is read.
 */
export function workLines(work: Work, aliveMs: number = heartbeatMs): AsyncGenerator<WorkLine, void> {
  const latest: Latest = { progress: undefined };
  const running = work((done, total) => {
    latest.progress = { done, total };
  });
  // The generator reports the rejection; this handler prevents an unhandled one until then.
  running.catch(() => undefined);
  return linesOf(running, latest, aliveMs);
}

interface Latest {
  progress: { readonly done: number; readonly total: number } | undefined;
}

async function* linesOf(
  running: Promise<IndexStatus | 'lacking'>,
  latest: Latest,
  aliveMs: number,
): AsyncGenerator<WorkLine, void> {
  let silentSince = performance.now();
  // Sends the response headers, so that the caller knows that the work has started.
  yield { alive: true };
  while (true) {
    const outcome = await resultWithin(running, Math.min(progressMs, aliveMs));
    if (outcome === 'lacking') return yield { lacking: true };
    if (outcome !== undefined) return yield { status: outcome };
    const { progress } = latest;
    latest.progress = undefined;
    if (progress !== undefined) yield { progress };
    else if (performance.now() - silentSince >= aliveMs) yield { alive: true };
    else continue;
    silentSince = performance.now();
  }
}

/** Resolves to the result of `running`, or to `undefined` after `ms` milliseconds. */
async function resultWithin<T>(running: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([running, sleep(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
