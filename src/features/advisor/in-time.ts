/** Interval at which the time is counted, in milliseconds. */
const stepMs = 100;

/**
 * Resolves with `undefined` if some work does not end in time. Its signal then aborts, so that the work stops at its
 * next step. Time in which `isPaused` returns true does not count.
 */
export async function inTime<T>(
  { milliseconds, isPaused = () => false }: { milliseconds: number; isPaused?: (() => boolean) | undefined },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let leftMs = milliseconds;
  const step = (): void => {
    if (!isPaused()) leftMs -= stepMs;
    if (leftMs > 0) {
      timer = setTimeout(step, stepMs);
      return;
    }
    resolve(undefined);
    late.abort(new DOMException('The work took too long.', 'TimeoutError'));
  };
  let timer = setTimeout(step, stepMs);
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), promise]);
  } finally {
    clearTimeout(timer);
  }
}
