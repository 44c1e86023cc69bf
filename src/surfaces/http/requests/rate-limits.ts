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

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Enforces the limits of contract section 3: by address before authentication, then by credential and user. An
 * admitted request neither counts against its address nor is limited by it, so that a caller cannot exhaust the limit
 * of others behind the same address.
 */
export async function limitRates(server: FastifyInstance, limits: RateLimits): Promise<void> {
  await server.register(rateLimit, { global: false, timeWindow: minute, cache: counters });
  const byAddress = server.createRateLimit({ max: limits.address });
  const byAddressAtAuthorization = server.createRateLimit({
    max: limits.authorizationServer ?? defaultAuthorizationServerLimit,
  });
  const byCredential = server.createRateLimit({
    max: limits.credential,
    keyGenerator: ({ access }) => (access === undefined ? '' : credentialKey(access.principal)),
  });
  const byUser = server.createRateLimit({
    max: limits.user,
    keyGenerator: ({ access }) => access?.principal.userId ?? '',
  });

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
  server.decorate('callLimits', {
    countRefusal: async (request: FastifyRequest) => {
      if (carriesCredential(request)) await limit(byAddress, request);
    },
    countFurtherCalls: async (request: FastifyRequest, calls: number) => {
      for (let call = 0; call < calls; call += 1) await countCall(request);
    },
  });
}

async function limit(limiter: Limiter, request: FastifyRequest): Promise<void> {
  const decision = await limiter(request);
  if (decision.isAllowed || !decision.isExceeded) return;
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
