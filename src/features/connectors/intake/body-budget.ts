import { overloaded } from './webhook-refused.ts';

/** Bytes of webhook bodies that a process holds before they are committed, all senders together (contract section 3). */
const heldAtMost = 64 * 1024 * 1024;

/** What one request holds of the budget. */
export interface HeldBody {
  /** @throws Unavailable `overloaded` when the process holds too much already. */
  add(bytes: number): void;
  /** To be called once the request is over, however it ended. */
  release(): void;
}

export interface BodyBudget {
  readonly held: number;
  open(): HeldBody;
}

/** Counts from the moment bytes are read: a body that never ends holds what it has sent. */
export function bodyBudget(limit = heldAtMost): BodyBudget {
  let held = 0;
  return {
    get held() {
      return held;
    },
    open() {
      let mine = 0;
      return {
        add(bytes) {
          if (held + bytes > limit) throw overloaded('Too many webhook bodies are held in memory');
          held += bytes;
          mine += bytes;
        },
        release() {
          held -= mine;
          mine = 0;
        },
      };
    },
  };
}
