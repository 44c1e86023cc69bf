import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { type Lookup, refusalOfName, resolveForTenant } from './resolve-public.ts';

/** HTTP/1.1 alone: its limits are the ones tested here, and no caller sends enough at once to gain from HTTP/2. */
const transport = {
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot turn verification off.
  rejectUnauthorized: true,
  allowH2: false,
  timeout: 10_000,
} as const;

const idle = { keepAliveTimeout: 4_000, keepAliveMaxTimeout: 60_000, allowH2: false } as const;

/** Connections to hosts an operator wrote. */
export function operatorAgent(): Agent {
  return new Agent({ ...idle, connect: buildConnector(transport) });
}

/**
 * Connections to hosts that data named. The check sits in the connector itself, so nothing can lie between check and
 * connect: a name is connected to the very addresses that were checked, a literal is checked here because sockets
 * never ask a `lookup` about one. TLS still verifies the name.
 */
export function tenantAgent(lookup: Lookup): Agent {
  const connect = buildConnector({ ...transport, lookup: checkedLookup(lookup) });
  return new Agent({
    ...idle,
    connect: (options, callback) => {
      const refusal = refusalOfName(options.hostname);
      if (refusal === undefined) connect(options, callback);
      else callback(refusal, null);
    },
  });
}

function checkedLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolveForTenant(hostname, lookup).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else if (first !== undefined) callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), options.all === true ? [] : ''),
    );
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('look-up failed', { cause: thrown });
}
