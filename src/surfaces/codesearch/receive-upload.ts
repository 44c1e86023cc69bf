import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { longestIndexHead } from '../../backends/codesearch/remote/protocol/index-work.ts';
import { InvalidInput, TooLarge, Unavailable } from '../../foundation/kernel/errors.ts';

export interface UploadDeps {
  readonly folder: string;
  readonly maxBytes: number;
  /** Milliseconds without a byte. */
  readonly stallMs: number;
}

export interface Upload extends AsyncDisposable {
  /** The first line of the body, without its end. */
  readonly head: string;
  /** What followed it; `undefined` for nothing. Gone once this is disposed of. */
  readonly file: string | undefined;
}

/**
 * Takes a body in: its first line to memory, what follows to a file. A caller who leaves in the middle, stands still or
 * sends too much leaves nothing behind. @throws InvalidInput, TooLarge, Unavailable; the signal's reason
 */
export async function receiveUpload(body: Readable, deps: UploadDeps, signal: AbortSignal): Promise<Upload> {
  const path = join(deps.folder, `upload-${randomBytes(8).toString('hex')}`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    const { head, bytes } = await store(watched(body, deps.stallMs, signal), path, deps.maxBytes);
    if (bytes === 0) await remove();
    return { head, file: bytes === 0 ? undefined : path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    // Whoever is still sending reads the answer only if the rest is taken, too.
    body.resume();
    throw error;
  }
}

async function store(
  body: AsyncIterable<Buffer>,
  path: string,
  maxBytes: number,
): Promise<{ head: string; bytes: number }> {
  await using file = await open(path, 'wx', 0o600);
  let head: Buffer = Buffer.alloc(0);
  let hasHead = false;
  let bytes = 0;
  for await (const chunk of body) {
    const end: number = hasHead ? -1 : chunk.indexOf(10);
    const rest = hasHead ? chunk : chunk.subarray(end === -1 ? chunk.length : end + 1);
    if (!hasHead) {
      head = Buffer.concat([head, chunk.subarray(0, end === -1 ? chunk.length : end)]);
      if (head.length > longestIndexHead) throw new InvalidInput('The first line of the body is too long.');
      hasHead = end !== -1;
    }
    bytes += rest.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    if (rest.length > 0) await file.writeFile(rest);
  }
  return { head: head.toString('utf8'), bytes };
}

/** The pieces of a body, for as long as they keep coming. */
async function* watched(body: Readable, stallMs: number, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const end = (reason: Error): void => void body.destroy(reason);
  const abort = (): void => end(signal.reason as Error);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => end(stalled(stallMs)), stallMs);
  try {
    // A body that is destroyed takes the connection along, and with it the answer that says why.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      timer.refresh();
      yield chunk as Buffer;
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function stalled(stallMs: number): Unavailable {
  return new Unavailable(
    'upload_stalled',
    `Nothing came for ${Math.ceil(stallMs / 1_000)} seconds: send it again.`,
  );
}

function tooLarge(maxBytes: number): TooLarge {
  const size = maxBytes >= 1024 ** 3 ? `${Math.floor(maxBytes / 1024 ** 3)} GiB` : `${maxBytes} bytes`;
  return new TooLarge(`The repository is larger than ${size}, the most that is taken.`);
}
