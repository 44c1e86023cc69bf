import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { hostNameRefusal, type Lookup, resolveForTenant } from './resolve-public.ts';

/**
 * Options of every connection. Only HTTP/1.1 is used: its limits are the ones tested here, and no caller sends enough
 * concurrent requests to benefit from HTTP/2.
 */
const transport = {
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot turn verification off.
  rejectUnauthorized: true,
  allowH2: false,
  timeout: 10_000,
} as const;

const idle = { keepAliveTimeout: 4_000, keepAliveMaxTimeout: 60_000, allowH2: false } as const;

/** The library that sends requests, with an agent for each kind of destination. */
export interface Sender {
  readonly send: typeof request;
  readonly reporting: typeof reporting;
  readonly operator: Agent;
  readonly tenant: Agent;
}

/** Opens both agents. `lookup` resolves the names in tenant URLs. */
export function openSender(lookup: Lookup): Sender {
  return { send: request, reporting, operator: operatorAgent(), tenant: tenantAgent(lookup) };
}

/** Returns an agent that calls `onConnected` when a request is about to be written to its connection. */
export function reporting(agent: Agent, onConnected: () => void): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    // The handler belongs to this request alone.
    const start = handler.onRequestStart;
    handler.onRequestStart = (...given) => {
      onConnected();
      start?.apply(handler, given);
    };
    return dispatch(options, handler);
  });
}

/** Creates the agent for hosts that an operator configured. */
function operatorAgent(): Agent {
  return new Agent({ ...idle, connect: buildConnector(transport) });
}

/**
 * Creates the agent for hosts named by tenant data. The check is part of the connector, so nothing can happen between
 * check and connect: a name is connected to the very addresses that were checked, and a literal is checked here
 * because sockets never call `lookup` for one. TLS still verifies the name.
 */
function tenantAgent(lookup: Lookup): Agent {
  const connect = buildConnector({ ...transport, lookup: checkedLookup(lookup) });
  return new Agent({
    ...idle,
    connect: (options, callback) => {
      const refusal = hostNameRefusal(options.hostname);
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
