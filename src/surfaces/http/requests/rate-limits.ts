import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../../features/identity/access/principal.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';

/** Maximum numbers of requests per minute, counted in this process. */
export interface RateLimits {
  /** For one address (IPv6: one /64), counting requests that were not admitted. */
  readonly address: number;
  /**
   * For one address at the authorization server, counting all requests. Default: 600, because devices poll every 5 s.
   */
  readonly authorizationServer?: number;
  /** For one API key or grant. */
  readonly credential: number;
  /** For one user, over all of their credentials. */
  readonly user: number;
}

export const rateLimits: RateLimits = { address: 240, credential: 1200, user: 2400 };

const defaultAuthorizationServerLimit = 600;

const minute = 60_000;

/** Maximum number of counters; the least recently used are evicted. */
const counters = 50_000;

interface Limiter {
  /** The name of the limit in the headers of a response. */
  readonly name: 'address' | 'credential' | 'user';
  readonly check: ReturnType<FastifyInstance['createRateLimit']>;
}

/**
 * Enforces the limits of contract section 3: by address before authentication, then by credential and user. An
 * admitted request neither counts against its address nor is limited by it, so that a caller cannot exhaust the limit
 * of others behind the same address. The headers of a response say which limits counted its request, and what is left
 * of them (draft-ietf-httpapi-ratelimit-headers-10).
 */
export async function limitRates(server: FastifyInstance, limits: RateLimits): Promise<void> {
  await server.register(rateLimit, { global: false, timeWindow: minute, cache: counters });
  const byAddress: Limiter = { name: 'address', check: server.createRateLimit({ max: limits.address }) };
  const byAddressAtAuthorization: Limiter = {
    name: 'address',
    check: server.createRateLimit({ max: limits.authorizationServer ?? defaultAuthorizationServerLimit }),
  };
  const byCredential: Limiter = {
    name: 'credential',
    check: server.createRateLimit({
      max: limits.credential,
      keyGenerator: ({ access }) => (access === undefined ? '' : credentialKey(access.principal)),
    }),
  };
  const byUser: Limiter = {
    name: 'user',
    check: server.createRateLimit({
      max: limits.user,
      keyGenerator: ({ access }) => access?.principal.userId ?? '',
    }),
  };

  const countCall = async (request: FastifyRequest): Promise<void> => {
    await limit(byCredential, request);
    await limit(byUser, request);
  };

  server.addHook('onRequest', async (request) => {
    const { admitsCallers, authorizationServer, unlimitedByAddress } = request.routeOptions.config;
    if (authorizationServer === true) await limit(byAddressAtAuthorization, request);
    // A request with a credential may be admitted; `countRefusal` counts it if not.
    else if (admitsCallers === true && carriesCredential(request)) return;
    else if (unlimitedByAddress !== true) await limit(byAddress, request);
  });
  // preParsing runs after every onRequest hook, so after the one that admitted the caller.
  server.addHook('preParsing', async (request) => {
    if (request.access !== undefined) await countCall(request);
  });
  server.addHook('onSend', async (request, reply) => {
    const items = [...(counted.get(request)?.values() ?? [])];
    if (items.length === 0) return;
    reply.header('ratelimit-policy', items.map(({ policy }) => policy).join(', '));
    reply.header('ratelimit', items.map(({ state }) => state).join(', '));
  });
  server.decorate('callLimits', {
    countRefusal: async (request: FastifyRequest) => {
      if (carriesCredential(request)) await limit(byAddress, request);
    },
    countFurtherCalls: async (request: FastifyRequest, calls: number) => {
      for (let call = 0; call < calls; call += 1) await countCall(request);
    },
  });
}

/** The limits that counted a request, by name, as the items of both headers. */
const counted = new WeakMap<
  FastifyRequest,
  Map<string, { readonly policy: string; readonly state: string }>
>();

async function limit({ name, check }: Limiter, request: FastifyRequest): Promise<void> {
  const decision = await check(request);
  if (decision.isAllowed) return;
  const items = counted.get(request) ?? new Map();
  counted.set(request, items);
  items.set(name, {
    policy: `"${name}";q=${decision.max};w=${minute / 1_000}`,
    state: `"${name}";r=${decision.remaining};t=${decision.ttlInSeconds}`,
  });
  if (!decision.isExceeded) return;
  throw new RateLimited(`Too many requests: wait ${decision.ttlInSeconds} seconds.`, {
    retryAfter: decision.ttlInSeconds,
  });
}

/** The cookie of a session (contract section 5), which only pages accept. */
const sessionCookie = /(?:^|;\s*)(?:__Host-)?orgctx_session=/;

function carriesCredential(request: FastifyRequest): boolean {
  const { authorization, cookie = '' } = request.headers;
  return authorization !== undefined || sessionCookie.test(cookie);
}

function credentialKey({ credential }: Principal): string {
  switch (credential.kind) {
    case 'api-key':
      return `key ${credential.apiKeyId}`;
    case 'oauth':
      return `grant ${credential.grantId}`;
    case 'session':
      return `session ${credential.sessionHash}`;
  }
}
