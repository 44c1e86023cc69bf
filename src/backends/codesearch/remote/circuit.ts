/** Lets calls through while the other side can be reached. */
export interface Circuit {
  /** @throws the latest failure, while it is so recent that another try would only cost its caller the same wait. */
  check(): void;
  succeeded(): void;
  failed(failure: Error): void;
}

const mostFailures = 3;
const openMs = 2_000;

/**
 * After three calls in a row that could not reach the other side, those of the next two seconds fail at once: a host
 * that swallows packets would hold each of them for its whole time-out. One that answers, whatever it says, closes it.
 */
export function openCircuit(now: () => number = () => performance.now()): Circuit {
  let failures = 0;
  let latest: { readonly failure: Error; readonly at: number } | undefined;
  return {
    check() {
      if (failures >= mostFailures && latest !== undefined && now() - latest.at < openMs)
        throw latest.failure;
    },
    succeeded() {
      failures = 0;
    },
    failed(failure) {
      failures += 1;
      latest = { failure, at: now() };
    },
  };
}
