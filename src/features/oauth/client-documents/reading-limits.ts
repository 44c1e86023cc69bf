import type { Clock } from '../../../foundation/kernel/clock.ts';
import { senderNetworks } from '../../../foundation/kernel/limits/sender-network.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';

/** Limits how many documents are read at the same time. */
export interface ReadingLimits {
  /**
   * Calls `read` unless a limit is reached.
   * @param source.host host name with port
   * @param source.sender address of the caller who sent the client id; undefined if the client is already known
   * @throws the error from `refuse` if a limit is reached; any error from `read`
   */
  run<Result>(
    source: { readonly host: string; readonly sender: string | undefined },
    read: () => Promise<Result>,
  ): Promise<Result>;
}

export interface ReadingLimitsDeps {
  readonly clock: Clock;
  /** Creates the error for a read that is not allowed. */
  refuse(reason: string): Error;
}

/**
 * Maximum numbers of concurrent reads. A caller who invents client ids must not make this service flood other hosts,
 * and must not block other callers with hosts that never respond. The larger networks around a sender have higher
 * limits, but always below `all`.
 */
const limits = { all: 32, sender: 4, host: 2 } as const;

/** Back-off after a host timed out or could not be reached, in milliseconds. A sign-in reads a document twice. */
const backOffMs = 30_000;

/** Maximum number of hosts in back-off; the oldest is dropped first. */
const maxBackOffHosts = 1_000;

export function readingLimits({ clock, refuse }: ReadingLimitsDeps): ReadingLimits {
  const inFlight = new Map<string, number>();
  const backOffUntil = new Map<string, number>();

  function change(name: string, by: 1 | -1): void {
    const count = (inFlight.get(name) ?? 0) + by;
    if (count === 0) inFlight.delete(name);
    else inFlight.set(name, count);
  }

  function startBackOff(host: string): void {
    backOffUntil.delete(host);
    backOffUntil.set(host, clock() + backOffMs);
    const [oldest] = backOffUntil.keys();
    if (backOffUntil.size > maxBackOffHosts && oldest !== undefined) backOffUntil.delete(oldest);
  }

  return {
    async run({ host, sender }, read) {
      if (clock() < (backOffUntil.get(host) ?? 0)) throw refuse(`${host} could not be reached recently`);
      const slots = slotsFor(host, sender);
      if (slots.some(({ name, limit }) => (inFlight.get(name) ?? 0) >= limit)) {
        throw refuse('too many client metadata documents are being read');
      }
      for (const { name } of slots) change(name, 1);
      try {
        return await read();
      } catch (error) {
        if (isUnreachable(error)) startBackOff(host);
        throw error;
      } finally {
        for (const { name } of slots) change(name, -1);
      }
    },
  };
}

function slotsFor(
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

function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const isTimeout = cause instanceof OutboundError && cause.reason === 'timeout';
  return isTimeout || unconnectedCause(error) !== undefined;
}

/** Returns the cause of an error of a read for which no connection was established; `undefined` for any other. */
export function unconnectedCause(error: unknown): OutboundError | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof OutboundError && cause.isUnconnected && cause.reason !== 'tls' ? cause : undefined;
}
