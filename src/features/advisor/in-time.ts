/**
 * Resolves with `undefined` if some work does not end in time. Its signal then aborts, so that the work stops at its
 * next step.
 */
export async function inTime<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    resolve(undefined);
    late.abort(new DOMException('The work took too long.', 'TimeoutError'));
  }, milliseconds);
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), promise]);
  } finally {
    clearTimeout(timer);
  }
}
