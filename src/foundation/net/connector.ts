import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent, request } from 'undici';
import { type OutboundProxies, type ProxyRoute, proxyFor } from '../kernel/outbound-proxy.ts';
import type { Destination } from './check-destination.ts';
import { hostNameRefusal, type Lookup, refusePrivate, resolveForTenant } from './resolve-public.ts';

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

/** The library that sends requests, and the connections of one client. */
export interface Sender {
  readonly send: typeof request;
  /**
   * Returns the way to a destination. `onConnected` is called when a request is about to be written to its connection,
   * through a proxy after its tunnel is open. @throws RefusedDestination for a proxied host that is not public here
   */
  route(destination: Destination, onConnected?: () => void): Promise<Route>;
  destroy(): Promise<void>;
}

export interface Route {
  readonly dispatcher: Dispatcher;
  /** `undefined` for a direct connection. */
  readonly proxy: ProxyRoute | undefined;
}

/** Opens a sender. `lookup` resolves the names in tenant URLs. */
export function openSender(lookup: Lookup, proxies: OutboundProxies | undefined): Sender {
  const operator = operatorAgent();
  const tenant = tenantAgent(lookup);
  const proxied = new Map<ProxyRoute['setting'], Dispatcher>();
  return {
    send: request,
    async route({ url, checked }, onConnected) {
      const proxy = proxyFor(url, proxies);
      if (proxy === undefined)
        return { dispatcher: reporting(checked ? tenant : operator, onConnected), proxy };
      if (checked) await refusePrivate(url.hostname, lookup);
      const dispatcher = proxied.get(proxy.setting) ?? proxyAgent(proxy);
      proxied.set(proxy.setting, dispatcher);
      return { dispatcher: reporting(dispatcher, onConnected), proxy };
    },
    async destroy() {
      await Promise.all([operator, tenant, ...proxied.values()].map((agent) => agent.destroy()));
    },
  };
}

/** Returns an agent that calls `onConnected`, if given, when a request is about to be written to its connection. */
function reporting(agent: Dispatcher, onConnected: (() => void) | undefined): Dispatcher {
  if (onConnected === undefined) return agent;
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

/**
 * Creates the agent for a proxy. It asks the proxy for a tunnel to an https host (CONNECT), and sends it whole http
 * requests. The proxy resolves the host.
 */
function proxyAgent({ url }: ProxyRoute): ProxyAgent {
  return new ProxyAgent({
    ...idle,
    uri: url.href,
    proxyTls: transport,
    requestTls: transport,
    // The library sets no time limit for the response to CONNECT.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: transport.timeout }),
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
