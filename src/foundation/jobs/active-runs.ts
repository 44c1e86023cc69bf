import { LeaseLost } from './lease-lost.ts';

interface ActiveRun {
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** `performance.now()` before the lease was last taken or renewed: it cannot have begun earlier. */
  leasedAt: number;
}

/** A run of jobs under one lease. */
export interface NewRun {
  readonly token: string;
  /** `performance.now()` before the claim. */
  readonly leasedAt: number;
  /** Calls `handled` once its handler has ended; what is left then is to write down how it went. */
  start(signal: AbortSignal, handled: () => void): Promise<void>;
  /** Called when the handler has ended, and again when the run has left. */
  changed(): void;
}

/** The runs of this process, by lease token. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  #handling = 0;

  /** Runs that hold a lease. */
  get size(): number {
    return this.#runs.size;
  }

  /** Those of them whose handler has not ended. */
  get handling(): number {
    return this.#handling;
  }

  get tokens(): readonly string[] {
    return [...this.#runs.keys()];
  }

  add({ token, leasedAt, start, changed }: NewRun): void {
    const abort = new AbortController();
    let handling = true;
    const handled = (): void => {
      if (!handling) return;
      handling = false;
      this.#handling -= 1;
      changed();
    };
    this.#handling += 1;
    const done = start(abort.signal, handled).finally(() => {
      this.#runs.delete(token);
      handled();
      changed();
    });
    this.#runs.set(token, { abort, done, leasedAt });
  }

  /** Takes over what a renewal that began at `leasedAt` said: runs asked about and not held are aborted. */
  renewed(asked: readonly string[], held: ReadonlySet<string>, leasedAt: number): void {
    for (const token of asked) {
      const run = this.#runs.get(token);
      if (run === undefined) continue;
      if (held.has(token)) run.leasedAt = leasedAt;
      else run.abort.abort(new LeaseLost());
    }
  }

  /** Aborts runs whose lease has not been renewed for so long, because the database did not answer. */
  abortUnrenewed(ms: number): void {
    for (const run of this.#runs.values()) {
      if (performance.now() - run.leasedAt >= ms) run.abort.abort(new LeaseLost());
    }
  }

  abortAll(reason: Error): void {
    for (const run of this.#runs.values()) run.abort.abort(reason);
  }

  /** Resolves when every run has ended, at the latest after `ms`. */
  async settled(ms: number): Promise<void> {
    if (this.#runs.size === 0) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([timeout, Promise.all([...this.#runs.values()].map((run) => run.done))]);
    clearTimeout(timer);
  }
}
