/** Maximum total size of the bodies in memory, in bytes (contract section 3, for webhooks). */
const maxHeldBytes = 64 * 1024 * 1024;

/** Maximum size of a small body, in bytes. Small bodies may use the whole budget; nearly every body is smaller. */
const maxSmallBodyBytes = 64 * 1024;

/** Bytes reserved for small bodies, so that large ones cannot block them. */
const reservedForSmallBytes = 8 * 1024 * 1024;

/** Maximum share of the budget for the bodies of one owner together; a single body may exceed it. */
const maxOwnerShare = 1 / 8;

export interface BodySender {
  /** Identifies the sender: a user, an address, or the address range of one sender. */
  readonly owner: string;
  /** Announced length in bytes; `undefined` if none is announced. */
  readonly length: number | undefined;
}

/** The share of one request in the budget. */
export interface HeldBody {
  /** Reserves bytes. @throws the error of `refusal` if the process or this owner already holds too many. */
  add(bytes: number): void;
  /**
   * Marks the body as in use and returns the function that ends the use. After the last end, the body no longer
   * counts.
   */
  use(): () => void;
}

export interface BodyBudget {
  readonly held: number;
  /** Opens a share. `onRefused` is called for each refusal. */
  open(sender: BodySender, onRefused?: () => void): HeldBody;
}

/** The limit that a refused body would exceed: the share of its owner, or the budget of the process. */
export type Exceeded = 'owner' | 'process';

export interface BodyBudgetOptions {
  /** Creates the error for a body that does not fit. */
  refusal(exceeded: Exceeded): Error;
  /** Maximum total size, in bytes. Default: 64 MiB. */
  readonly limit?: number;
}

/** Creates a budget. Bytes count from their arrival, so an unfinished body counts with the bytes received. */
export function bodyBudget({ refusal, limit = maxHeldBytes }: BodyBudgetOptions): BodyBudget {
  const owners = new Map<string, number>();
  let held = 0;
  let heldByLarge = 0;

  const count = (owner: string, large: boolean, bytes: number): void => {
    held += bytes;
    if (large) heldByLarge += bytes;
    const ofOwner = (owners.get(owner) ?? 0) + bytes;
    if (ofOwner === 0) owners.delete(owner);
    else owners.set(owner, ofOwner);
  };

  const open = ({ owner, length }: BodySender, onRefused?: () => void): HeldBody => {
    const large = length === undefined || length > maxSmallBodyBytes;
    let [own, uses] = [0, 0];
    const exceededBy = (bytes: number): Exceeded | undefined => {
      const ofOtherRequests = (owners.get(owner) ?? 0) - own;
      if (ofOtherRequests > 0 && ofOtherRequests + own + bytes > limit * maxOwnerShare) return 'owner';
      const fits = held + bytes <= limit && (!large || heldByLarge + bytes <= limit - reservedForSmallBytes);
      return fits ? undefined : 'process';
    };
    return {
      add(bytes) {
        const exceeded = exceededBy(bytes);
        if (exceeded !== undefined) {
          onRefused?.();
          throw refusal(exceeded);
        }
        count(owner, large, bytes);
        own += bytes;
      },
      use() {
        uses += 1;
        let ended = false;
        return () => {
          if (ended) return;
          ended = true;
          uses -= 1;
          if (uses > 0) return;
          count(owner, large, -own);
          own = 0;
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
