import type { FastifyInstance } from 'fastify';
import { escapePattern } from '../../foundation/kernel/text/escape-pattern.ts';

export interface RouteEntry {
  readonly method: string;
  /** Fastify's pattern: `/:orgSlug/api/v1/search`. */
  readonly path: string;
  readonly operationId: string | undefined;
  /** True if the route answers conditional requests. */
  readonly conditional: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly routeTable: readonly RouteEntry[];
  }
}

/** Records all routes in `routeTable`. Must be called before routes are registered. */
export function recordRoutes(server: FastifyInstance): void {
  const table: RouteEntry[] = [];
  server.decorate('routeTable', table);
  server.addHook('onRoute', (route) => {
    const operationId = route.schema?.operationId;
    const conditional = route.config?.conditional === true;
    for (const method of [route.method].flat())
      table.push({ method, path: route.url, operationId, conditional });
  });
}

/**
 * Returns every method and path of a built server, in a stable order.
 * @internal exported for the tests that compare the routes with the contract
 */
export function describeRoutes(server: FastifyInstance): readonly RouteEntry[] {
  const byName = (entry: RouteEntry): string => `${entry.path} ${entry.method}`;
  return server.routeTable.toSorted((a, b) => byName(a).localeCompare(byName(b), 'en'));
}

/** Returns a function that lists the methods of a path, with any parameters; empty if no route matches. */
export function methodsByPath(server: FastifyInstance): (path: string) => readonly string[] {
  const patterns = describeRoutes(server)
    .filter(({ path }) => path.startsWith('/'))
    .map(({ method, path }) => ({ method, pattern: asPattern(path) }));
  return (path) => patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}

/** Converts a route to a pattern. Routes consist of literal segments and whole-segment parameters only. */
function asPattern(path: string): RegExp {
  const segments = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : escapePattern(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}
