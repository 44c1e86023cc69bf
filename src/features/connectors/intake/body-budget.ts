import { overloaded } from './webhook-refused.ts';

/** Bytes of webhook bodies that a process holds, all senders together (contract section 3). */
const heldAtMost = 64 * 1024 * 1024;

/** Bytes of a body that may use all of it; nearly every event is smaller. */
const smallBody = 64 * 1024;

/** Bytes that larger bodies leave free: however many of them come, small ones go on. */
const keptForSmall = 8 * 1024 * 1024;

/** Of all bytes, what the bodies of one network may hold together; a single one may hold more. */
const shareOfNetwork = 1 / 8;

export interface BodySender {
  /** Where it comes from: an address, or what one sender has of them. */
  readonly network: string;
  /** Bytes as announced; `undefined` when they are not. */
  readonly length: number | undefined;
}

/** What one request holds of the budget. */
export interface HeldBody {
  /** @throws Unavailable `overloaded` when the process, or this network, holds too much already. */
  add(bytes: number): void;
  /** Something needs the body; the answer ends that, and with the last such end the body no longer counts. */
  use(): () => void;
}

export interface BodyBudget {
  readonly held: number;
  /** `onOverloaded` is told of each refusal. */
  open(sender: BodySender, onOverloaded: () => void): HeldBody;
}

/** Counts from the moment memory is taken: a body that never ends holds what it has sent. */
export function bodyBudget(limit = heldAtMost): BodyBudget {
  const networks = new Map<string, number>();
  let held = 0;
  let heldByLarge = 0;

  const count = (network: string, large: boolean, bytes: number): void => {
    held += bytes;
    if (large) heldByLarge += bytes;
    const ofNetwork = (networks.get(network) ?? 0) + bytes;
    if (ofNetwork === 0) networks.delete(network);
    else networks.set(network, ofNetwork);
  };

  const open = ({ network, length }: BodySender, onOverloaded: () => void): HeldBody => {
    const large = length === undefined || length > smallBody;
    let [mine, uses] = [0, 0];
    const fits = (bytes: number): boolean => {
      const ofOthers = (networks.get(network) ?? 0) - mine;
      if (ofOthers > 0 && ofOthers + mine + bytes > limit * shareOfNetwork) return false;
      return held + bytes <= limit && (!large || heldByLarge + bytes <= limit - keptForSmall);
    };
    return {
      add(bytes) {
        if (!fits(bytes)) {
          onOverloaded();
          throw overloaded('Too many webhook bodies are held in memory');
        }
        count(network, large, bytes);
        mine += bytes;
      },
      use() {
        uses += 1;
        let ended = false;
        return () => {
          if (ended) return;
          ended = true;
          uses -= 1;
          if (uses > 0) return;
          count(network, large, -mine);
          mine = 0;
        };
      },
    };
  };

  return {
    get held() {
      return held;
    },
    open,
  };
}
