/** Lets one loop wait for a signal or a time, whichever comes first. A signal while nobody waits is not lost. */
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
