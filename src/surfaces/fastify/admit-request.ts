import type { FastifyInstance, FastifyRequest } from 'fastify';
import { admitCaller, type CallerRequest } from '../../features/identity/access/admit-caller.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { Access } from '../../features/identity/access/principal.ts';

/**
 * Marks every route of `server` as one that runs `admitRequest` first. Must be called before routes are registered.
 */
export function markAdmittingRoutes(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, admitsCallers: true };
  });
}

/**
 * Authenticates the sender of a request, or counts the refusal against their address. The credential is checked
 * first, so that a valid one is never refused because of other callers behind the same address.
 * @throws the errors of `admitCaller`; RateLimited instead, once the address has been refused too often
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
