import type { ClaimedJob } from './claim.ts';
import { LeaseLost } from './lease-lost.ts';

interface RunningJob {
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** `performance.now()` before the lease was last taken or renewed: it cannot have begun earlier. */
  leasedAt: number;
}

/** The jobs of this process, by lease token. */
export class RunningJobs {
  readonly #jobs = new Map<string, RunningJob>();

  get size(): number {
    return this.#jobs.size;
  }

  get tokens(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** `leasedAt` is the moment before the claim; `whenDone` is called after the job has left. */
  add(
    job: ClaimedJob,
    leasedAt: number,
    run: (signal: AbortSignal) => Promise<void>,
    whenDone: () => void,
  ): void {
    const abort = new AbortController();
    const token = job.lease_token;
    const done = run(abort.signal).finally(() => {
      this.#jobs.delete(token);
      whenDone();
    });
    this.#jobs.set(token, { abort, done, leasedAt });
  }

  /** Takes over what a renewal that began at `leasedAt` said: jobs asked about and not held are aborted. */
  renewed(asked: readonly string[], held: ReadonlySet<string>, leasedAt: number): void {
    for (const token of asked) {
      const job = this.#jobs.get(token);
      if (job === undefined) continue;
      if (held.has(token)) job.leasedAt = leasedAt;
      else job.abort.abort(new LeaseLost());
    }
  }

  /** Aborts jobs whose lease has run out unrenewed, because the database did not answer. */
  abortExpired(leaseMs: number): void {
    for (const job of this.#jobs.values()) {
      if (performance.now() - job.leasedAt >= leaseMs) job.abort.abort(new LeaseLost());
    }
  }

  abortAll(reason: Error): void {
    for (const job of this.#jobs.values()) job.abort.abort(reason);
  }

  /** Resolves when every job has ended, at the latest after `ms`. */
  async settled(ms: number): Promise<void> {
    if (this.#jobs.size === 0) return;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([timeout, Promise.all([...this.#jobs.values()].map((job) => job.done))]);
    clearTimeout(timer);
  }
}
