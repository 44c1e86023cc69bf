import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexStatus } from '../../backends/codesearch/port.ts';
import { signOfLifeMs, type WorkLine } from '../../backends/codesearch/remote/protocol/index-work.ts';

type Work = (onProgress: (done: number, total: number) => void) => Promise<IndexStatus | 'lacking'>;

const progressMs = 1_000;

/**
 * The lines of an answer to work on an index: progress once a second, signs of life where there is none, the outcome. The
 * work begins at once, whether or not anybody reads.
 */
export function workLines(work: Work, aliveMs: number = signOfLifeMs): AsyncGenerator<WorkLine, void> {
  const latest: Latest = { progress: undefined };
  const running = work((done, total) => {
    latest.progress = { done, total };
  });
  // Told by the lines, when its turn in the race comes.
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
  // The head of the answer goes out with it: from now on the caller hears that the work goes on.
  yield { alive: true };
  while (true) {
    const outcome = await before(running, Math.min(progressMs, aliveMs));
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

/** What `running` gives, or `undefined` after so many milliseconds. */
async function before<T>(running: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([running, sleep(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
