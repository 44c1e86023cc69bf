import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../features/identity/access/principal.ts';
import { RateLimited } from '../../foundation/kernel/errors.ts';

/** Requests a minute, counted in this process. */
export interface RateLimits {
  /** Of one address (IPv6: one /64), by requests that were not let in. */
  readonly address: number;
  /** Of one address at the authorization server, let in or not; default 600, as devices ask every 5 seconds. */
  readonly authorizationServer?: number;
  /** Of one API key or grant. */
  readonly credential: number;
  /** Of one user, over all of their credentials. */
  readonly user: number;
}

export const rateLimits: RateLimits = { address: 240, credential: 1200, user: 2400 };

const usualAuthorizationServer = 600;

const minute = 60_000;

/** How many counters are kept; the least recently used go first. */
const counters = 50_000;

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Contract section 3: by address before sign-in, then by credential and user. Nobody behind an address can use up
 * what colleagues with good credentials need: a request that is let in neither counts against its address nor is
 * measured by it.
 */
export async function limitRates(server: FastifyInstance, limits: RateLimits): Promise<void> {
  await server.register(rateLimit, { global: false, timeWindow: minute, cache: counters });
  const byAddress = server.createRateLimit({ max: limits.address });
  const byAddressAtAuthorization = server.createRateLimit({
    max: limits.authorizationServer ?? usualAuthorizationServer,
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
    // A credential may yet open the door: it is counted by `countRefusal` when it does not.
    else if (admitsCallers === true && carriesCredential(request)) return;
    else if (unlimitedByAddress !== true) await limit(byAddress, request);
  });
  // The step after every onRequest hook, so after whichever of them let the caller in.
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
  const verdict = await limiter(request);
  if (verdict.isAllowed || !verdict.isExceeded) return;
  throw new RateLimited(`Too many requests: wait ${verdict.ttlInSeconds} seconds.`, {
    retryAfter: verdict.ttlInSeconds,
  });
}

function carriesCredential(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined;
}

function credentialKey({ credential }: Principal): string {
  return credential.kind === 'api-key' ? `key ${credential.apiKeyId}` : `grant ${credential.grantId}`;
}
