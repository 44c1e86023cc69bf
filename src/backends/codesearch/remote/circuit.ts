/** A circuit breaker: allows calls while the service is reachable. */
export interface Circuit {
  /** @throws the latest failure, if it is so recent that another attempt would probably fail after the same wait */
  check(): void;
  succeeded(): void;
  failed(failure: Error): void;
}

const maxFailures = 3;
const openMs = 2_000;

/**
 * Opens a circuit breaker. After three consecutive connection failures, calls within the next two seconds fail at
 * once: a host that drops packets would delay each of them by its whole time-out. Any response closes it.
 */
export function openCircuit(now: () => number = () => performance.now()): Circuit {
  let failures = 0;
  let latest: { readonly failure: Error; readonly at: number } | undefined;
  return {
    check() {
      if (failures >= maxFailures && latest !== undefined && now() - latest.at < openMs) throw latest.failure;
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
