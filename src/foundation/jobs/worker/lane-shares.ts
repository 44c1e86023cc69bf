/** Time after which a worker releases a lane to other processes, in milliseconds. */
const maxHoldMs = 1_000;
/**
 * Duration of the release, in milliseconds. Long enough for a worker that polls for commits to see the lane free and
 * take it.
 */
const releaseMs = 20;

interface Hold {
  since: number;
  runs: number;
  lastEnded: number;
}

/**
 * Shares lanes fairly between processes. On SQLite the end of a run and the next claim are one transaction or close
 * to it, so other processes would hardly ever see a lane with pending jobs free. A worker that has held a lane for a
 * second therefore skips it briefly, and continues if no other process took it. All times are from
 * `performance.now()`.
 */
export class LaneShares {
  readonly #holds = new Map<string, Hold>();
  readonly #releasedUntil = new Map<string, number>();

  onTaken(lane: string, now: number): void {
    const hold = this.#holds.get(lane) ?? { since: now, runs: 0, lastEnded: now };
    hold.runs += 1;
    this.#holds.set(lane, hold);
  }

  onEnded(lane: string, now: number): void {
    const hold = this.#holds.get(lane);
    if (hold === undefined) return;
    hold.runs -= 1;
    hold.lastEnded = now;
  }

  /** Returns the lanes that this worker must not claim now. */
  excludedLanes(now: number): ReadonlySet<string> {
    for (const [lane, until] of this.#releasedUntil) if (until <= now) this.#releasedUntil.delete(lane);
    for (const [lane, hold] of this.#holds) {
      const over = now - hold.since >= maxHoldMs;
      if (over) this.#releasedUntil.set(lane, now + releaseMs);
      if (hold.runs > 0) hold.since = over ? now : hold.since;
      else if (over || now - hold.lastEnded > releaseMs) this.#holds.delete(lane);
    }
    return new Set(this.#releasedUntil.keys());
  }
}
