import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyBudget, bodyBudget, type Exceeded } from '../../foundation/kernel/body-budget.ts';
import { type OrgctxError, RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import { bodyLength, closeAfterUnreadBody, countUntilAnswered, readBody } from './read-body.ts';
import { accessOf } from './request-fields.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The budget for the bodies of admitted callers, over all surfaces. */
    readonly bodyBudget: BodyBudget;
  }
}

/** Time-out of a whole body, and time before its minimum transfer rate is enforced, in milliseconds. */
const timeoutMs = 30_000;
const graceMs = 10_000;

/** Creates the budget that the surfaces of a server share. Must be called before they are registered. */
export function openBodyBudget(server: FastifyInstance): void {
  server.decorate('bodyBudget', bodyBudget({ refusal }));
}

function refusal(exceeded: Exceeded): OrgctxError {
  return exceeded === 'owner'
    ? new RateLimited('Too many of your requests are being received at the same time. Send fewer at once.', {
        retryAfter: 1,
      })
    : new Unavailable('overloaded', 'Too many requests are being received. Send the request again later.', {
        retryAfter: 5,
      });
}

/**
 * Reads the bodies of a surface that admits its callers, and passes their bytes to `parse`. A body counts against the
 * budget, and the share of its user, from its first byte until the response is sent. Other content types are refused.
 */
export function takeBodies(
  server: FastifyInstance,
  contentType: string,
  parse: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  server.removeAllContentTypeParsers();
  server.addHook('preParsing', async (request, reply) => {
    const owner = accessOf(request).principal.userId;
    request.heldBody = server.bodyBudget.open({ owner, length: bodyLength(request) });
    countUntilAnswered(request.heldBody, reply);
  });
  server.addContentTypeParser(contentType, async (request: FastifyRequest, stream: IncomingMessage) => {
    const { heldBody: held, routeOptions } = request;
    if (held === undefined) throw new Error('a body is read without being counted');
    const limits = { limit: routeOptions.bodyLimit, length: bodyLength(request), timeoutMs, graceMs };
    return parse(request, await readBody(stream, { ...limits, held }));
  });
  closeAfterUnreadBody(server);
}
