import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';

/** Time for which a host is not asked after a time-out, in milliseconds. */
const pauseMs = 10 * 60_000;
/** Maximum number of hosts; the oldest pauses end early. */
const maxHosts = 1_000;

/**
 * The hosts of embedded assets that did not answer in time, for each connection. The other assets of such a host wait
 * without a request, because each one would hold a slot until its own time-out. Kept in memory: a restart costs one
 * time-out for each host.
 */
export class HostPauses {
  readonly #now: () => number;
  readonly #until = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs a request to the host of an address. @throws Unavailable, without a request, while the host is paused */
  async request<T>(connection: ConnectionId, url: string, send: () => Promise<T>): Promise<T> {
    const key = `${connection} ${URL.parse(url)?.host}`;
    const leftMs = (this.#until.get(key) ?? 0) - this.#now();
    if (leftMs > 0) throw paused(Math.ceil(leftMs / 1_000));
    try {
      return await send();
    } catch (error) {
      if (error instanceof OutboundError && error.reason === 'timeout') this.#pause(key);
      throw error;
    }
  }

  #pause(key: string): void {
    this.#until.delete(key);
    this.#until.set(key, this.#now() + pauseMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > maxHosts && oldest !== undefined) this.#until.delete(oldest);
  }
}

function paused(seconds: number): Unavailable {
  return new Unavailable(
    'asset_unavailable',
    'The host of an asset did not answer in time. It is tried again later.',
    {
      retryAfter: seconds,
    },
  );
}
