import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { RateLimited, Unavailable } from '../../foundation/kernel/errors.ts';
import { logFault } from '../fastify/log-fault.ts';
import { problemOf } from '../fastify/problem.ts';
import { faultOf } from './fault-of.ts';

/**
 * Answers line by line as `lines` makes them, at the speed of whoever reads. What it throws becomes the last line: the
 * status is out by then.
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
    const fault = faultOf(error);
    if (!reply.raw.destroyed) logFault(fault ?? error, reply.request.log);
    const waits = fault instanceof Unavailable || fault instanceof RateLimited;
    const problem = {
      ...problemOf(fault, reply.request.id),
      ...(waits && fault.retryAfter !== undefined && { retryAfter: fault.retryAfter }),
    };
    yield `${JSON.stringify({ problem })}\n`;
  }
}
