import type { FastifyInstance } from 'fastify';
import type { Access, Role } from '../../features/identity/principal.ts';

/** What the hooks of this surface know of a request, and what routes tell the hooks. */
declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the surface's hook once the caller may enter the organization; limits and the log speak of it. */
    access: Access | undefined;
  }

  interface FastifyContextConfig {
    /** The least role that may call; every route of the organization's REST interface states one. */
    role?: Role;
    /** `true` keeps the route outside the limit by address (contract section 3: status, discovery, webhooks). */
    unlimitedByAddress?: boolean;
  }
}

/** Fastify wants fields declared before the first request. */
export function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('access', undefined);
}
