/**
 * Lets one loop wait for a signal or a time-out, whichever comes first. A signal that arrives while nothing waits is
 * kept for the next wait.
 */
export class WakeUp {
  #signalled = false;
  #wake: (() => void) | undefined;

  signal(): void {
    this.#signalled = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#signalled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#signalled = false;
  }
}
