import type { FastifyInstance, FastifyRequest } from 'fastify';
import { admitCaller, type CallerRequest } from '../../features/identity/access/admit-caller.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { Access } from '../../features/identity/access/principal.ts';

/** Says of every route of `server` that `admitRequest` runs before it; to be called before any is registered. */
export function admittingRoutes(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, admitsCallers: true };
  });
}

/**
 * Lets the sender of a request in, or counts the refusal against their address. A good credential is never refused
 * for what others do behind the same address: it is looked at first.
 * @throws what `admitCaller` throws; RateLimited instead, once the address has been refused too often
 */
export async function admitRequest(
  request: FastifyRequest,
  identity: AuthenticateDeps,
  caller: Omit<CallerRequest, 'authorization'>,
): Promise<Access> {
  try {
    const { authorization } = request.headers;
    const access = await admitCaller(identity, { authorization, ...caller });
    request.access = { ...access, address: request.ip };
    request.joinCallersTrace?.();
    return request.access;
  } catch (error) {
    await request.server.callLimits.countRefusal(request);
    throw error;
  }
}
