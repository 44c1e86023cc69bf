import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import { logError } from '../fastify/log-error.ts';
import { problemOf } from '../fastify/problem.ts';
import { errorOf } from './error-of.ts';

/**
 * Streams `lines` as NDJSON, at the speed of the reader. An error that `lines` throws becomes the last line, because
 * the status has been sent by then.
 */
export function answerLines(reply: FastifyReply, lines: AsyncIterable<unknown>): FastifyReply {
  return reply
    .type('application/x-ndjson')
    .send(Readable.from(withProblem(reply, lines), { objectMode: false }));
}

async function* withProblem(
  reply: FastifyReply,
  lines: AsyncIterable<unknown>,
): AsyncGenerator<string, void> {
  try {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`;
  } catch (error) {
    const known = errorOf(error);
    if (!reply.raw.destroyed) logError(known ?? error, reply.request.log);
    const isTemporary = known instanceof Unavailable || known instanceof RateLimited;
    const problem = {
      ...problemOf(known, reply.request.id),
      ...(isTemporary && known.retryAfter !== undefined && { retryAfter: known.retryAfter }),
    };
    yield `${JSON.stringify({ problem })}\n`;
  }
}
