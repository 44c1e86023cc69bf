import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** The media type of server-sent events (HTML standard, section 9.2). */
export const eventStreamType = 'text/event-stream';

/** A response of server-sent events. Events after a disconnect are dropped. */
export interface EventStream {
  send(event: string, data: object): void;
  end(): void;
  /** Sends the head of the response, then the events. */
  open(reply: FastifyReply): FastifyReply;
}

export function eventStream(): EventStream {
  // Holds what a slow caller has not read: an answer has an upper limit, so this has one, too.
  const stream = new PassThrough();
  return {
    send(event, data) {
      if (!stream.destroyed) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    end: () => void stream.end(),
    open: (reply) =>
      reply
        .code(200)
        // Makes nginx pass each event on instead of collecting the response.
        .header('x-accel-buffering', 'no')
        .type(eventStreamType)
        .send(stream),
  };
}
