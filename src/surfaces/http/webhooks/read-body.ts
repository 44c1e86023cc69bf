import type { IncomingMessage } from 'node:http';
import type { HeldBody } from '../../../features/connectors/intake/body-budget.ts';
import { InvalidInput, OrgctxError, TooLarge } from '../../../foundation/kernel/errors.ts';
import { growingBytes } from './growing-bytes.ts';

export interface ReadBodyOptions {
  /** Bytes. */
  readonly limit: number;
  /** Bytes as announced; `undefined` when they are not. */
  readonly length: number | undefined;
  readonly held: HeldBody;
  /** Milliseconds for the whole of it: whoever sends slowly holds memory that others need. */
  readonly timeoutMs: number;
}

/** Slower than this, in bytes a second, is too slow; it is not looked at in the first two seconds. */
const slowest = 64 * 1024;
const graceMs = 2_000;

class BodyTooSlow extends OrgctxError {
  readonly status = 408;

  constructor() {
    super('validation_failed', 'The body did not arrive in time: send it again.');
  }
}

/**
 * The bytes of a body exactly as they were sent. What is too large is not read to its end.
 * @throws TooLarge, BodyTooSlow, InvalidInput when it ends early, Unavailable when too much is held already
 */
export function readBody(stream: IncomingMessage, options: ReadBodyOptions): Promise<Buffer> {
  const { limit, length, held, timeoutMs } = options;
  if (length !== undefined && length > limit) return Promise.reject(tooLarge(limit));
  const done = Promise.withResolvers<Buffer>();
  const bytes = growingBytes(length ?? limit, (more) => held.add(more));
  const finish = (say: () => void): void => {
    endWatch();
    stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause();
    say();
  };
  const endWatch = watchPace(
    () => Math.min(timeoutMs, graceMs + (bytes.length / slowest) * 1_000),
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
    finish(() => done.reject(new InvalidInput('The body ended before it was whole.')));
  };
  stream.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  return done.promise;
}

/** Calls `late` once when `allowedMs`, which grows with what arrives, is over. The returned function ends the watch. */
function watchPace(allowedMs: () => number, late: () => void): () => void {
  const started = performance.now();
  const left = (): number => allowedMs() - (performance.now() - started);
  let timer: NodeJS.Timeout;
  let turn: NodeJS.Immediate | undefined;
  const look = (): void => {
    if (left() <= 0) late();
    else timer = setTimeout(whenDue, left());
  };
  // What the sockets have is read first: it is not the sender's fault when this process was busy.
  const whenDue = (): void => {
    turn = setImmediate(look);
  };
  timer = setTimeout(whenDue, left());
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

function tooLarge(limit: number): TooLarge {
  return new TooLarge(`The body is larger than the ${limit / 1024 / 1024} MiB that this path takes.`);
}
