import type { SenderNetwork } from './sender-network.ts';

/** Maximum total size of the bodies in memory, in bytes (contract section 3, for webhooks). */
const maxHeldBytes = 64 * 1024 * 1024;

/** Maximum size of a small body, in bytes. Small bodies may use the whole budget; nearly every body is smaller. */
const maxSmallBodyBytes = 64 * 1024;

/** Bytes reserved for small bodies, so that large ones cannot block them. */
const reservedForSmallBytes = 8 * 1024 * 1024;

/** Maximum share of the budget for the bodies of one owner together; a single body may exceed it. */
const maxOwnerShare = 1 / 8;

/** A part of the budget that the bodies of several senders share. */
export interface BodyShare {
  /** Identifies the senders, such as an organization. */
  readonly of: string;
  /** Maximum part of the budget that they use together, from 0 to 1; a single body may exceed it. */
  readonly part: number;
}

export interface BodySender {
  /** Identifies the sender: a user, or the networks of an address, which are all counted. */
  readonly owner: string | readonly SenderNetwork[];
  /**
   * Maximum part of the budget that the sender uses, from 0 to 1. The wider networks of an address may use a multiple
   * of it. Default: an eighth.
   */
  readonly ownerPart?: number;
  /** The senders to which this one belongs, and what they may use together. */
  readonly group?: BodyShare | undefined;
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

/** The limit that a refused body would exceed: the share of its owner, or one that it shares with other senders. */
export type Exceeded = 'owner' | 'shared';

export interface BodyBudgetOptions {
  /** Creates the error for a body that does not fit. */
  refusal(exceeded: Exceeded): Error;
  /** Maximum total size, in bytes. Default: 64 MiB. */
  readonly limit?: number;
}

/** Creates a budget. Bytes count from their arrival, so an unfinished body counts with the bytes received. */
export function bodyBudget({ refusal, limit = maxHeldBytes }: BodyBudgetOptions): BodyBudget {
  const heldBy = new Map<string, number>();
  let held = 0;
  let heldByLarge = 0;

  const countFor = (name: string, bytes: number): void => {
    const sum = (heldBy.get(name) ?? 0) + bytes;
    if (sum === 0) heldBy.delete(name);
    else heldBy.set(name, sum);
  };

  const open = (sender: BodySender, onRefused?: () => void): HeldBody => {
    const { owner, ownerPart = maxOwnerShare, group, length } = sender;
    const large = length === undefined || length > maxSmallBodyBytes;
    const owners = typeof owner === 'string' ? [{ name: owner, share: 1 }] : owner;
    const ofOwner = owners.map(({ name, share }) => ({ of: `owner ${name}`, part: ownerPart * share }));
    const ofGroup = group === undefined ? [] : [{ of: `group ${group.of}`, part: group.part }];
    let [own, uses] = [0, 0];
    const exceeds = ({ of, part }: BodyShare, bytes: number): boolean => {
      const sum = heldBy.get(of) ?? 0;
      return sum > own && sum + bytes > limit * part;
    };
    const exceededBy = (bytes: number): Exceeded | undefined => {
      if (ofOwner.some((share) => exceeds(share, bytes))) return 'owner';
      if (ofGroup.some((share) => exceeds(share, bytes))) return 'shared';
      const fits = held + bytes <= limit && (!large || heldByLarge + bytes <= limit - reservedForSmallBytes);
      return fits ? undefined : 'shared';
    };
    const count = (bytes: number): void => {
      held += bytes;
      if (large) heldByLarge += bytes;
      for (const { of } of [...ofOwner, ...ofGroup]) countFor(of, bytes);
    };
    return {
      add(bytes) {
        const exceeded = exceededBy(bytes);
        if (exceeded !== undefined) {
          onRefused?.();
          throw refusal(exceeded);
        }
        count(bytes);
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
          count(-own);
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
