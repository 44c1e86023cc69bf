import type { IncomingMessage } from 'node:http';
import type { HeldBody } from '../../../features/connectors/intake/body-budget.ts';
import { InvalidInput, OrgctxError, TooLarge } from '../../../foundation/kernel/errors.ts';

export interface ReadBodyOptions {
  /** Bytes. */
  readonly limit: number;
  readonly held: HeldBody;
  /** Milliseconds for the whole of it: whoever sends slowly holds memory that others need. */
  readonly timeoutMs: number;
}

class BodyTooSlow extends OrgctxError {
  readonly status = 408;

  constructor() {
    super('validation_failed', 'The body did not arrive in time: send it again.');
  }
}

/**
 * The bytes of a body exactly as they were sent. What is too large is not read to its end.
 * @throws TooLarge, InvalidInput when it ends early, Unavailable when the process holds too much already
 */
export function readBody(stream: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const { limit, held, timeoutMs } = options;
  const done = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => finish(() => done.reject(new BodyTooSlow())), timeoutMs);

  const finish = (say: () => void): void => {
    clearTimeout(timer);
    stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause();
    say();
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    try {
      if (bytes > limit) throw tooLarge(limit);
      held.add(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      finish(() => done.reject(error));
    }
  };
  const onEnd = (): void => {
    const [only = Buffer.alloc(0)] = chunks;
    finish(() => done.resolve(chunks.length > 1 ? Buffer.concat(chunks) : only));
  };
  const onClose = (): void => {
    finish(() => done.reject(new InvalidInput('The body ended before it was whole.')));
  };
  stream.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  return done.promise;
}

/** Refused before a byte of it is read. @throws TooLarge */
export function checkLength(contentLength: string | undefined, limit: number): void {
  if (contentLength !== undefined && Number(contentLength) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): TooLarge {
  return new TooLarge(`The body is larger than the ${limit / 1024 / 1024} MiB that this path takes.`);
}
