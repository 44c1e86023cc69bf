/**
 * Does work until a time is up, and returns whether it was complete then. @throws what the work throws before, and the
 * reason of `signal`
 */
export async function withinTime(
  timeoutMs: number,
  signal: AbortSignal,
  work: (bounded: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const timeout = AbortSignal.timeout(Math.max(0, Math.round(timeoutMs)));
  try {
    await work(AbortSignal.any([signal, timeout]));
    return true;
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    return false;
  }
}
