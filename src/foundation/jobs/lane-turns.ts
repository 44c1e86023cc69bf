/** After which a worker leaves a lane to others, in milliseconds. */
const turnMs = 1_000;
/** Long enough for a worker that looks for commits to see the lane free, and to take it. */
const awayMs = 20;

interface Turn {
  since: number;
  runs: number;
  lastEnded: number;
}

/**
 * Whose turn it is. On SQLite a run's end and the next claim are one transaction or close to it, so other processes would
 * hardly see a lane free while it has work: a worker leaves one that it has had for a second to them, and goes on where
 * nobody took it. All times by `performance.now()`.
 */
export class LaneTurns {
  readonly #turns = new Map<string, Turn>();
  readonly #leftUntil = new Map<string, number>();

  taken(lane: string, now: number): void {
    const turn = this.#turns.get(lane) ?? { since: now, runs: 0, lastEnded: now };
    turn.runs += 1;
    this.#turns.set(lane, turn);
  }

  ended(lane: string, now: number): void {
    const turn = this.#turns.get(lane);
    if (turn === undefined) return;
    turn.runs -= 1;
    turn.lastEnded = now;
  }

  /** Lanes not to be claimed. */
  toLeave(now: number): ReadonlySet<string> {
    for (const [lane, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(lane);
    for (const [lane, turn] of this.#turns) {
      const over = now - turn.since >= turnMs;
      if (over) this.#leftUntil.set(lane, now + awayMs);
      if (turn.runs > 0) turn.since = over ? now : turn.since;
      else if (over || now - turn.lastEnded > awayMs) this.#turns.delete(lane);
    }
    return new Set(this.#leftUntil.keys());
  }
}
