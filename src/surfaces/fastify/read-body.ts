import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput, OrgctxError, TooLarge } from '../../foundation/kernel/errors.ts';
import type { HeldBody } from '../../foundation/kernel/limits/body-budget.ts';
import { growingBytes } from './growing-bytes.ts';

export interface ReadBodyOptions {
  /** Maximum size of the body, in bytes. */
  readonly limit: number;
  /** Value of Content-Length, in bytes; `undefined` if absent. */
  readonly length: number | undefined;
  readonly held: HeldBody;
  /** Time-out of the whole body, in milliseconds. A slow sender holds memory that others need. */
  readonly timeoutMs: number;
  /** Time before the minimum transfer rate is enforced, in milliseconds. Default: 2,000. */
  readonly graceMs?: number;
}

/** Minimum transfer rate, in bytes per second. */
const minBytesPerSecond = 64 * 1024;

class BodyTooSlow extends OrgctxError {
  readonly status = 408;

  constructor() {
    super('validation_failed', 'The body did not arrive in time: send it again.');
  }
}

/**
 * Reads the bytes of a body exactly as they were sent. A body that is too large is not read to its end.
 * @throws TooLarge, BodyTooSlow, InvalidInput if it ends early, Unavailable if bodies already hold too much memory
 */
export function readBody(stream: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const { limit, length, held, timeoutMs, graceMs = 2_000 } = options;
  if (length !== undefined && length > limit) return Promise.reject(tooLarge(limit));
  const done = Promise.withResolvers<Buffer>();
  const bytes = growingBytes(length ?? limit, (more) => held.add(more));
  const finish = (settle: () => void): void => {
    endWatch();
    stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause();
    settle();
  };
  const endWatch = watchPace(
    () => Math.min(timeoutMs, graceMs + (bytes.length / minBytesPerSecond) * 1_000),
    () => finish(() => done.reject(new BodyTooSlow())),
  );
  const onData = (chunk: Buffer): void => {
    try {
      if (bytes.length + chunk.length > limit) throw tooLarge(limit);
      bytes.append(chunk);
    } catch (error) {
      finish(() => done.reject(error));
    }
  };
  const onEnd = (): void => finish(() => done.resolve(bytes.whole()));
  const onClose = (): void => {
    finish(() => done.reject(new InvalidInput('The body ended early. Send it again.')));
  };
  stream.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  return done.promise;
}

/**
 * Calls `onTimeout` once after `allowedMs`, which grows with the received bytes. The returned function ends the
 * watch.
 */
function watchPace(allowedMs: () => number, onTimeout: () => void): () => void {
  const started = performance.now();
  const left = (): number => allowedMs() - (performance.now() - started);
  let timer: NodeJS.Timeout;
  let immediate: NodeJS.Immediate | undefined;
  const check = (): void => {
    if (left() <= 0) onTimeout();
    else timer = setTimeout(whenDue, left());
  };
  // Data that the sockets have received is read first, so that a busy process does not cause time-outs.
  const whenDue = (): void => {
    immediate = setImmediate(check);
  };
  timer = setTimeout(whenDue, left());
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

function tooLarge(limit: number): TooLarge {
  const size = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`;
  return new TooLarge(`The body is larger than ${size}, the limit of this path.`);
}

/** Returns the announced length of a body, in bytes; `undefined` if none is announced. */
export function bodyLength({ headers }: FastifyRequest): number | undefined {
  const given = headers['content-length'];
  return given === undefined ? undefined : Number(given);
}

/** Counts the memory of a body at least until the response is sent or the client disconnects. */
export function countUntilAnswered(held: HeldBody, { raw }: FastifyReply): void {
  const ended = held.use();
  if (raw.closed) ended();
  else raw.once('close', ended);
}

/** Closes the connection after a response to a partly read body, whose rest must not be parsed as the next request. */
export function closeAfterUnreadBody(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    if (!request.raw.complete) reply.header('connection', 'close');
  });
}
