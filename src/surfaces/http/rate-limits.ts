import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../features/identity/principal.ts';
import { RateLimited } from '../../foundation/kernel/errors.ts';

/** Requests a minute, counted in this process. */
export interface RateLimits {
  /** Of one address (IPv6: one /64), by requests that were not let in. */
  readonly address: number;
  /** Of one API key or grant. */
  readonly credential: number;
  /** Of one user, over all of their credentials. */
  readonly user: number;
}

export const rateLimits: RateLimits = { address: 240, credential: 1200, user: 2400 };

const minute = 60_000;

/** How many counters are kept; the least recently used go first. */
const counters = 50_000;

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Contract section 3: by address before sign-in, then by credential and user. Colleagues behind one address do not
 * use up each other's share, since a request that is let in is not counted against its address.
 */
export async function limitRates(server: FastifyInstance, limits: RateLimits): Promise<void> {
  await server.register(rateLimit, { global: false, timeWindow: minute, cache: counters });
  const byAddress = server.createRateLimit({ max: limits.address });
  const byCredential = server.createRateLimit({
    max: limits.credential,
    keyGenerator: ({ access }) => (access === undefined ? '' : credentialKey(access.principal)),
  });
  const byUser = server.createRateLimit({
    max: limits.user,
    keyGenerator: ({ access }) => access?.principal.userId ?? '',
  });

  server.addHook('onRequest', async (request) => {
    if (isUnlimited(request)) return;
    // A credential may yet open the door: it counts only when it did not, below.
    await limit(byAddress, request, { increment: !carriesCredential(request) });
  });
  server.addHook('onResponse', async (request) => {
    if (isUnlimited(request) || !carriesCredential(request)) return;
    if (request.access === undefined) await byAddress(request);
  });
  // The step after every onRequest hook, so after whichever of them authenticated.
  server.addHook('preParsing', async (request) => {
    if (request.access === undefined) return;
    await limit(byCredential, request);
    await limit(byUser, request);
  });
}

async function limit(
  limiter: Limiter,
  request: FastifyRequest,
  options?: { increment: boolean },
): Promise<void> {
  const verdict = await limiter(request, options);
  if (verdict.isAllowed) return;
  const full = options?.increment === false ? verdict.remaining === 0 : verdict.isExceeded;
  if (!full) return;
  throw new RateLimited(`Too many requests: wait ${verdict.ttlInSeconds} seconds.`, {
    retryAfter: verdict.ttlInSeconds,
  });
}

function isUnlimited(request: FastifyRequest): boolean {
  return request.routeOptions.config.unlimitedByAddress === true;
}

function carriesCredential(request: FastifyRequest): boolean {
  return request.headers.authorization !== undefined;
}

function credentialKey({ credential }: Principal): string {
  return credential.kind === 'api-key' ? `key ${credential.apiKeyId}` : `grant ${credential.grantId}`;
}
