import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Access, Role } from '../../features/identity/access/principal.ts';
import type { TracePlace } from '../../foundation/telemetry/trace-context.ts';

/** How surfaces tell the rate limits what only they know. Each throws RateLimited when a limit is passed. */
export interface CallLimits {
  /** A credential was sent and did not open the organization. */
  countRefusal(request: FastifyRequest): Promise<void>;
  /** One request of an admitted caller holds so many calls beside the first. */
  countFurtherCalls(request: FastifyRequest, calls: number): Promise<void>;
}

/** What the hooks of every surface know of a request, and what routes tell the hooks. */
declare module 'fastify' {
  interface FastifyInstance {
    readonly callLimits: CallLimits;
  }

  interface FastifyRequest {
    /** Set by the surface's own hook once the caller may enter the organization; limits and the log speak of it. */
    access: Access | undefined;
    /** Set before every other hook; absent where the framework refused the request before its hooks. */
    trace: TracePlace | undefined;
    /**
     * Takes the trace that the caller named for the request's own; for who is admitted. Absent where none was named.
     */
    joinCallersTrace: (() => void) | undefined;
  }

  interface FastifyContextConfig {
    /** The least role that may call; every route of the organization's REST interface states one. */
    role?: Role;
    /** `true` keeps the route outside the limit by address (contract section 3: status, discovery, webhooks). */
    unlimitedByAddress?: boolean;
    /**
     * `true` where a surface looks at credentials (`admit-request.ts`): a request that carries one is counted against its
     * address only when it is refused. Set by `admittingRoutes`, since nothing else counts refusals.
     */
    admitsCallers?: boolean;
    /**
     * `true` on endpoints of the authorization server: every request counts against its address, in a limit of their own.
     * An Authorization header is a client's there, and anybody can register one.
     */
    authorizationServer?: boolean;
    /** How the route's faults are logged, where anybody can bring them about; default: each by itself. */
    logFault?: (fault: unknown, log: FastifyBaseLogger) => void;
  }
}

/** Fastify wants fields declared before the first request. */
export function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('access', undefined);
  server.decorateRequest('trace', undefined);
  server.decorateRequest('joinCallersTrace', undefined);
}

/** For handlers behind the hook that admits callers. @throws Error, a fault of ours, where that hook did not run */
export function accessOf(request: FastifyRequest): Access {
  if (request.access === undefined)
    throw new Error(`${request.routeOptions.url} ran without admitting its caller`);
  return request.access;
}
