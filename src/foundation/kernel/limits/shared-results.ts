export interface SharedResultsLimits {
  /** Maximum size of the kept results, in bytes. A larger result is not kept. */
  readonly maxBytes: number;
  /** Time for which a result is kept, in milliseconds. */
  readonly keptMs: number;
}

interface Computing<Result> {
  readonly result: Promise<Result>;
  /** Aborts when no caller waits any more. */
  readonly unwanted: AbortController;
  waiting: number;
}

interface Kept<Result> {
  readonly result: Result;
  readonly bytes: number;
  readonly until: number;
}

/**
 * Results that equal calls share: calls at once wait for one computation, and later ones find its result for a short
 * time. The least recently used ones are dropped first. A key must name all that a result depends on, first of all the
 * organization.
 */
export class SharedResults<Result> {
  readonly #limits: SharedResultsLimits;
  /** Returns the size of a result in bytes; `undefined` for one that is not kept. */
  readonly #sizeOf: (result: Result) => number | undefined;
  readonly #computing = new Map<string, Computing<Result>>();
  readonly #kept = new Map<string, Kept<Result>>();
  #bytes = 0;

  constructor(limits: SharedResultsLimits, sizeOf: (result: Result) => number | undefined) {
    this.#limits = limits;
    this.#sizeOf = sizeOf;
  }

  /**
   * Returns the result for a key. The computation goes on while any caller waits for it; an error is not kept.
   * @throws the reason of `signal`; what the computation throws
   */
  async get(
    key: string,
    compute: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted();
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#drop(key);
      if (performance.now() < kept.until) {
        this.#keep(key, kept);
        return kept.result;
      }
    }
    const computing = this.#computing.get(key) ?? this.#start(key, compute);
    computing.waiting += 1;
    const gone = Promise.withResolvers<never>();
    const leave = (): void => gone.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([computing.result, gone.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      computing.waiting -= 1;
      if (computing.waiting === 0) this.#end(key, computing);
    }
  }

  #start(key: string, compute: (signal: AbortSignal) => Promise<Result>): Computing<Result> {
    const unwanted = new AbortController();
    const result = compute(unwanted.signal).then((computed) => {
      const bytes = this.#sizeOf(computed);
      const until = performance.now() + this.#limits.keptMs;
      if (bytes !== undefined) this.#keep(key, { result: computed, bytes, until });
      return computed;
    });
    const computing = { result, unwanted, waiting: 0 };
    this.#computing.set(key, computing);
    return computing;
  }

  /** Forgets a computation that no caller waits for, and stops it if it has not ended. */
  #end(key: string, computing: Computing<Result>): void {
    if (this.#computing.get(key) === computing) this.#computing.delete(key);
    computing.unwanted.abort();
  }

  #keep(key: string, kept: Kept<Result>): void {
    this.#drop(key);
    if (kept.bytes > this.#limits.maxBytes) return;
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limits.maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
