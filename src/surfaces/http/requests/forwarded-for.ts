import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

const header = 'x-forwarded-for';

/** Maximum number of entries that are read, from the nearest proxy on. TRUST_PROXY counts at most 99 hops. */
const maxEntries = 100;

/**
 * Normalizes X-Forwarded-For before Fastify reads the address of the client from it, because limits count addresses:
 * one client could otherwise be counted under another name for each port. An entry without an address is replaced by
 * the proxy that sent it, and the entries before it are dropped. Must be called before other hooks are added.
 */
export function normalizeForwardedFor(server: FastifyInstance): void {
  let warned = false;
  server.addHook('onRequest', (request, _reply, done) => {
    const given = request.raw.headers[header];
    if (typeof given === 'string') {
      const { entries, faultAt } = normalized(given, request.socket.remoteAddress ?? '');
      if (entries.length > 0) request.raw.headers[header] = entries.join(', ');
      else delete request.raw.headers[header];
      // An entry that no trusted proxy sent is not used, and anybody can write it.
      if (!warned && faultAt !== undefined && request.ips?.length === faultAt + 1) {
        warned = true;
        request.log.warn(
          { proxy: request.ip },
          'a proxy sent an X-Forwarded-For that contains no address: its clients count as the proxy. Correct its configuration',
        );
      }
    }
    done();
  });
}

interface Normalized {
  readonly entries: readonly string[];
  /** Position of the entry without an address, counted from the last entry, which is 1. */
  readonly faultAt: number | undefined;
}

function normalized(text: string, peer: string): Normalized {
  const entries: string[] = [];
  let proxy = peer;
  // Empty members of a list do not count (RFC 9110 section 5.6.1).
  const given = text.split(',').flatMap((entry) => entry.trim() || []);
  for (const entry of given.toReversed().slice(0, maxEntries)) {
    const address = addressOf(entry);
    entries.unshift(address ?? proxy);
    if (address === undefined) return { entries, faultAt: entries.length };
    proxy = address;
  }
  return { entries, faultAt: undefined };
}

/** Matches an address of IPv6 in brackets or of IPv4, each with an optional port, or one of IPv6 alone. */
const entryPattern =
  /^"?(?:\[([\da-f:.]+)(?:%[^\]]*)?\](?::\d+)?|([\d.]+)(?::\d+)?|([\da-f:.]+)(?:%[^"]*)?)"?$/i;

/** Returns the canonical address of an entry, without brackets, port and zone. */
function addressOf(entry: string): string | undefined {
  const found = entryPattern.exec(entry);
  const address = found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}
