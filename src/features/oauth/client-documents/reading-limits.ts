import type { Clock } from '../../../foundation/kernel/clock.ts';
import { senderNetworks } from '../../../foundation/kernel/sender-network.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';

export interface ReadingLimits {
  /**
   * Reads, if there is room for it.
   * @param host with its port
   * @param sender address of whoever brought the client id; undefined where it is known already
   * @throws what `refuse` makes of the reason where there is none; what `read` throws
   */
  run<Result>(
    asked: { readonly host: string; readonly sender: string | undefined },
    read: () => Promise<Result>,
  ): Promise<Result>;
}

export interface ReadingLimitsDeps {
  readonly clock: Clock;
  refuse(reason: string): Error;
}

/**
 * Documents read at once: whoever makes up client ids must not have us call the whole world, nor keep a host or everybody
 * else waiting by hosts that say nothing. A sender's larger networks have more, yet never all of it.
 */
const limits = { all: 32, sender: 4, host: 2 } as const;

/** Milliseconds that a host which let us wait is left alone. */
const quietMs = 30_000;

/** Hosts remembered for that; the oldest are forgotten first. */
const maxQuiet = 1_000;

export function readingLimits({ clock, refuse }: ReadingLimitsDeps): ReadingLimits {
  const underWay = new Map<string, number>();
  const quietUntil = new Map<string, number>();

  function change(name: string, by: 1 | -1): void {
    const count = (underWay.get(name) ?? 0) + by;
    if (count === 0) underWay.delete(name);
    else underWay.set(name, count);
  }

  function leaveAlone(host: string): void {
    quietUntil.delete(host);
    quietUntil.set(host, clock() + quietMs);
    const [oldest] = quietUntil.keys();
    if (quietUntil.size > maxQuiet && oldest !== undefined) quietUntil.delete(oldest);
  }

  return {
    async run({ host, sender }, read) {
      if (clock() < (quietUntil.get(host) ?? 0)) throw refuse(`${host} did not answer in time just now`);
      const places = placesOf(host, sender);
      if (places.some(({ name, limit }) => (underWay.get(name) ?? 0) >= limit)) {
        throw refuse('too many client metadata documents are being read');
      }
      for (const { name } of places) change(name, 1);
      try {
        return await read();
      } catch (error) {
        if (isTimeout(error)) leaveAlone(host);
        throw error;
      } finally {
        for (const { name } of places) change(name, -1);
      }
    },
  };
}

function placesOf(
  host: string,
  sender: string | undefined,
): readonly { readonly name: string; readonly limit: number }[] {
  const networks = sender === undefined ? [] : senderNetworks(sender);
  return [
    { name: 'all', limit: limits.all },
    { name: `host ${host}`, limit: limits.host },
    ...networks.map(({ name, share }) => ({ name: `sender ${name}`, limit: limits.sender * share })),
  ];
}

function isTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OutboundError && cause.reason === 'timeout';
}
