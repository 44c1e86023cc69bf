/** A function that is called at intervals until it is stopped. */
export interface Repeating {
  /** Stops the interval. Resolves when a round in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `work` every `ms`. Rounds never overlap: a round that takes longer than the interval causes the next one to
 * be skipped.
 */
export function repeatEvery(
  ms: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Repeating {
  let round: Promise<void> | undefined;
  const timer = setInterval(() => {
    round ??= work()
      .catch(onError)
      .finally(() => {
        round = undefined;
      });
  }, ms);
  return {
    stop: async () => {
      clearInterval(timer);
      await round;
    },
  };
}
