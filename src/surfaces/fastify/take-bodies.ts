import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type OrgctxError, RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import type { UserId } from '../../foundation/kernel/ids.ts';
import {
  type BodyBudget,
  type BodySender,
  bodyBudget,
  type Exceeded,
} from '../../foundation/kernel/limits/body-budget.ts';
import { senderNetworks } from '../../foundation/kernel/limits/sender-network.ts';
import { bodyLength, closeAfterUnreadBody, countUntilAnswered, readBody } from './read-body.ts';
import { accessOf } from './request-fields.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The budget for the bodies of all surfaces but the webhooks, which have their own. */
    readonly bodyBudget: BodyBudget;
  }
}

/** Time-out of a whole body, and time before its minimum transfer rate is enforced, in milliseconds. */
const timeoutMs = 30_000;
const graceMs = 10_000;

/** Maximum part of the budget for the members of one organization together. */
const organizationPart = 1 / 2;

/** Maximum parts of the budget for all senders that are not signed in together, and for one network of them. */
const strangersPart = 1 / 4;
const smallOfStrangersPart = 1 / 2;
const strangerPart = 1 / 32;

/**
 * Maximum size of a body of a stranger that does not count together with larger ones, in bytes. The forms of a sign-in
 * and of OAuth are smaller, so that senders in a few networks cannot block them for all others.
 */
const maxFormBytes = 8 * 1024;

/** Creates the budget that the surfaces of a server share. Must be called before they are registered. */
export function openBodyBudget(server: FastifyInstance): void {
  server.decorate('bodyBudget', bodyBudget({ refusal }));
}

/** Counts the body of a request against the share of a user and of the organization, if it is for one. */
export function holdBodyOfUser(request: FastifyRequest, reply: FastifyReply, userId: UserId): void {
  const organizationId = request.access?.scope.organizationId;
  const group = organizationId && { of: organizationId, part: organizationPart };
  holdBody(request, reply, { owner: userId, group });
}

/**
 * Counts the body of a request without a credential against the shares of its networks, and of all such requests of its
 * size.
 */
export function holdBodyOfStranger(request: FastifyRequest, reply: FastifyReply): void {
  const isSmall = (bodyLength(request) ?? Number.POSITIVE_INFINITY) <= maxFormBytes;
  const group = isSmall
    ? { of: 'not signed in, small', part: smallOfStrangersPart }
    : { of: 'not signed in', part: strangersPart };
  holdBody(request, reply, { owner: senderNetworks(request.ip), ownerPart: strangerPart, group });
}

function holdBody(request: FastifyRequest, reply: FastifyReply, sender: Omit<BodySender, 'length'>): void {
  request.heldBody = request.server.bodyBudget.open({ ...sender, length: bodyLength(request) });
  countUntilAnswered(request.heldBody, reply);
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
 * budget, and the shares of its user and organization, from its first byte until the response is sent. Other content
 * types are refused.
 */
export function takeBodies(
  server: FastifyInstance,
  contentType: string,
  parse: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  server.removeAllContentTypeParsers();
  server.addHook('preParsing', async (request, reply) => {
    holdBodyOfUser(request, reply, accessOf(request).principal.userId);
  });
  server.addContentTypeParser(contentType, async (request: FastifyRequest, stream: IncomingMessage) =>
    parse(request, await readHeldBody(request, stream)),
  );
  closeAfterUnreadBody(server);
}

/** Reads a body that is counted already, up to the limit of its route. @throws the errors of `readBody` */
export function readHeldBody(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
  const { heldBody: held, routeOptions } = request;
  if (held === undefined) throw new Error('a body is read without being counted');
  const limits = { limit: routeOptions.bodyLimit, length: bodyLength(request), timeoutMs, graceMs };
  return readBody(stream, { ...limits, held });
}
