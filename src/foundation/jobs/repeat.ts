/** Something done at intervals until it is stopped. */
export interface Repeating {
  /** Resolves when a round under way has ended. */
  stop(): Promise<void>;
}

/** Rounds never overlap: one that takes longer than the interval swallows the next. */
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
