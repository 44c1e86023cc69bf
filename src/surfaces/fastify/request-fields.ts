import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Access, Role } from '../../features/identity/access/principal.ts';
import type { HeldBody } from '../../foundation/kernel/limits/body-budget.ts';
import type { TracePlace } from '../../foundation/telemetry/trace-context.ts';

/** The rate-limit counters that surfaces update. Each method throws RateLimited if a limit is exceeded. */
export interface CallLimits {
  /** Counts a request whose credential was refused. */
  countRefusal(request: FastifyRequest): Promise<void>;
  /** Counts the `calls` beyond the first that one request of an admitted caller contains. */
  countFurtherCalls(request: FastifyRequest, calls: number): Promise<void>;
}

/** The request fields that hooks set, and the route options that hooks read. */
declare module 'fastify' {
  interface FastifyInstance {
    readonly callLimits: CallLimits;
  }

  interface FastifyRequest {
    /** Set by the hook of the surface after the caller was admitted; used by the rate limits and the log. */
    access: Access | undefined;
    /** The memory that the body uses, counted against a budget for bodies. */
    heldBody: HeldBody | undefined;
    /** Set before every other hook; absent if the framework refused the request before its hooks. */
    trace: TracePlace | undefined;
    /** Continues the trace that the caller sent; called for admitted callers only. Absent if none was sent. */
    joinCallersTrace: (() => void) | undefined;
  }

  interface FastifyContextConfig {
    /** The minimum role of the caller; required for every route of the organization's REST interface. */
    role?: Role;
    /** True if API keys that are limited to repositories may use the route: it only reads what they may read. */
    limitedKeys?: true;
    /** True exempts the route from the limit by address (contract section 3: status, discovery, webhooks). */
    unlimitedByAddress?: boolean;
    /**
     * True if the surface checks credentials (`admit-request.ts`): a request with a credential is counted against its
     * address only if it is refused. Set only by `markAdmittingRoutes`, because nothing else counts refusals.
     */
    admitsCallers?: boolean;
    /**
     * True for the endpoints of the authorization server: every request counts against its address, in a separate
     * limit. An Authorization header identifies a client there, and anybody can register a client.
     */
    authorizationServer?: boolean;
    /** Logs the errors of a route whose errors unauthenticated callers can cause. Default: logs each error. */
    logError?: (error: unknown, log: FastifyBaseLogger) => void;
  }
}

/** Declares the request fields, as Fastify requires before the first request. */
export function decorateRequests(server: FastifyInstance): void {
  server.decorateRequest('access', undefined);
  server.decorateRequest('heldBody', undefined);
  server.decorateRequest('trace', undefined);
  server.decorateRequest('joinCallersTrace', undefined);
}

/**
 * Returns the access of an admitted caller. @throws Error (an internal one) if the hook that admits callers did not
 * run
 */
export function accessOf(request: FastifyRequest): Access {
  if (request.access === undefined)
    throw new Error(`${request.routeOptions.url} ran without admitting its caller`);
  return request.access;
}
