import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isoTime } from '../../foundation/kernel/clock.ts';
import type { StatusDeps } from './http-deps.ts';
import { problemResponses } from './problem.ts';

const facts = { timestamp: z.iso.datetime(), version: z.string() };
const stalls = z
  .object({ count: z.int(), longestMs: z.int(), lastAt: z.iso.datetime() })
  .describe(
    'Times since the start in which the service answered nothing for more than 10 seconds; absent if none.',
  );
const healthy = z
  .object({ status: z.literal('ok'), ...facts, stalls: stalls.optional() })
  .meta({ id: 'Status' });
const unavailable = z.object({ status: z.literal('unavailable'), ...facts });

export function statusRoutes(deps: StatusDeps): FastifyPluginAsyncZod {
  const isHealthy = recentHealth(deps);
  return async (server) => {
    server.get(
      '/.status',
      {
        config: { unlimitedByAddress: true },
        schema: {
          operationId: 'getStatus',
          tags: ['Service'],
          summary: 'Returns the status of the service',
          security: [],
          response: {
            200: healthy.describe('The service works.'),
            ...problemResponses(),
            503: unavailable.describe('The database cannot be reached, or the service is shutting down.'),
          },
        },
      },
      async (_request, reply) => {
        const now = { timestamp: isoTime(deps.clock()), version: deps.version };
        reply.header('cache-control', 'no-store');
        return !deps.draining() && (await isHealthy())
          ? reply.code(200).send({ status: 'ok', ...now, ...stallsOf(deps) })
          : reply.code(503).send({ status: 'unavailable', ...now });
      },
    );
  };
}

/** Time for which a health check holds, in milliseconds. */
const healthHoldsMs = 1_000;

/**
 * Returns the health check of the database for requests that anybody may send: one check at a time, whose result holds
 * for a second.
 */
function recentHealth(deps: StatusDeps): () => Promise<boolean> {
  let recent: Promise<boolean> | undefined;
  return () => {
    recent ??= answersInTime(deps).finally(() => {
      setTimeout(() => (recent = undefined), healthHoldsMs).unref();
    });
    return recent;
  };
}

/** Returns the field `stalls` if this process stood still since its start. */
function stallsOf(deps: StatusDeps): { stalls?: z.output<typeof stalls> } {
  const past = deps.stalls?.();
  return past === undefined ? {} : { stalls: { ...past, lastAt: isoTime(past.lastAt) } };
}

async function answersInTime(deps: StatusDeps): Promise<boolean> {
  const { healthTimeoutMs = 2_000 } = deps;
  const over = new AbortController();
  try {
    return await Promise.race([
      deps.health(),
      delay(healthTimeoutMs, false, { signal: over.signal, ref: false }),
    ]);
  } catch {
    return false;
  } finally {
    over.abort();
  }
}
