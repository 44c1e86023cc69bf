import { LeaseLost } from '../lease/lease-lost.ts';
import type { SlotClass } from '../task.ts';

/** The slots of a class, or the place of a suspect that takes none of them. */
export type RunSlots = SlotClass | `alone-${SlotClass}`;

interface ActiveRun {
  readonly slots: RunSlots;
  /** True until the handler has ended; then only the outcome is recorded. */
  handling: boolean;
  readonly abort: AbortController;
  done: Promise<void>;
  /**
   * `performance.now()` before the last request that took or renewed the lease: a lower bound of the lease's start.
   */
  leasedAt: number;
  /** True once the run was aborted because the database did not respond. */
  isAbandoned: boolean;
}

/** A run of jobs under one lease. */
export interface NewRun {
  readonly token: string;
  readonly slots: RunSlots;
  /** `performance.now()` before the claim. */
  readonly leasedAt: number;
  /** Runs the jobs. Calls `handled` once the handler has ended; after that only the outcome is recorded. */
  start(signal: AbortSignal, handled: () => void): Promise<void>;
  /** Called when the handler has ended, and again when the run has ended. */
  changed(): void;
}

/** The active runs of this process, by lease token. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #abandoned = new Set<string>();
  #renewalAt = -Infinity;

  /** Returns the number of runs in slots of a class, and the number of those whose handler has not ended. */
  count(slots: RunSlots): { readonly held: number; readonly handling: number } {
    const runs = [...this.#runs.values()].filter((run) => run.slots === slots);
    return { held: runs.length, handling: runs.filter(({ handling }) => handling).length };
  }

  get tokens(): readonly string[] {
    return [...this.#runs.keys()];
  }

  /**
   * The leases of runs that ended because the database did not respond. They are still in the queue unless another
   * worker took them back.
   */
  get abandoned(): readonly string[] {
    return [...this.#abandoned];
  }

  /** Forgets abandoned leases that have been given back. */
  forget(tokens: readonly string[]): void {
    for (const token of tokens) this.#abandoned.delete(token);
  }

  add({ token, slots, leasedAt, start, changed }: NewRun): void {
    const abort = new AbortController();
    const handled = (): void => {
      if (!run.handling) return;
      run.handling = false;
      changed();
    };
    const run: ActiveRun = {
      slots,
      handling: true,
      abort,
      leasedAt,
      done: Promise.resolve(),
      isAbandoned: false,
    };
    this.#runs.set(token, run);
    run.done = start(abort.signal, handled).finally(() => {
      this.#runs.delete(token);
      if (run.isAbandoned) this.#abandoned.add(token);
      run.handling = false;
      changed();
    });
  }

  /** Returns the time of a renewal that begins now. */
  beginRenewal(): number {
    this.#renewalAt = performance.now();
    return this.#renewalAt;
  }

  /**
   * Applies the result of a renewal that began at `leasedAt`: runs that were requested and are no longer held are
   * aborted.
   */
  renewed(requested: readonly string[], held: ReadonlySet<string>, leasedAt: number): void {
    for (const token of requested) {
      const run = this.#runs.get(token);
      if (run === undefined) continue;
      if (held.has(token)) run.leasedAt = leasedAt;
      else run.abort.abort(new LeaseLost());
    }
  }

  /**
   * Aborts runs whose lease was last renewed at least `ms` ago. Their leases are abandoned if a renewal got no reply.
   * If none began meanwhile, this process stood still, and one of the runs may be the reason.
   */
  abortUnrenewed(ms: number): void {
    for (const run of this.#runs.values()) {
      if (performance.now() - run.leasedAt < ms || run.abort.signal.aborted) continue;
      run.isAbandoned = this.#renewalAt > run.leasedAt;
      run.abort.abort(new LeaseLost());
    }
  }

  abortAll(reason: Error): void {
    for (const run of this.#runs.values()) run.abort.abort(reason);
  }

  /** Resolves when every run has ended, or after `ms`. */
  async settled(ms: number): Promise<void> {
    if (this.#runs.size === 0) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([timeout, Promise.all([...this.#runs.values()].map((run) => run.done))]);
    clearTimeout(timer);
  }
}
