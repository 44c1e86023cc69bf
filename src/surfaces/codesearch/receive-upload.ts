import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { maxIndexHeadLength } from '../../backends/codesearch/remote/protocol/index-work.ts';
import { InvalidInput, TooLarge, Unavailable } from '../../foundation/kernel/errors.ts';

export interface UploadDeps {
  readonly folder: string;
  readonly maxBytes: number;
  /** Maximum time between two received chunks, in milliseconds. */
  readonly stallMs: number;
}

export interface Upload extends AsyncDisposable {
  /** The first line of the body, without its end. */
  readonly head: string;
  /**
   * Path of the file with the rest of the body; `undefined` if there is none. Disposing of the upload deletes the
   * file.
   */
  readonly file: string | undefined;
}

/**
 * Receives a body: the first line to memory, the rest to a file. The file is deleted if the caller disconnects,
 * stalls or sends too much. @throws InvalidInput, TooLarge, Unavailable; the signal's reason
 */
export async function receiveUpload(body: Readable, deps: UploadDeps, signal: AbortSignal): Promise<Upload> {
  const path = join(deps.folder, `upload-${randomBytes(8).toString('hex')}`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    const { head, bytes } = await store(withStallTimeout(body, deps.stallMs, signal), path, deps.maxBytes);
    if (bytes === 0) await remove();
    return { head, file: bytes === 0 ? undefined : path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    // A caller that is still sending reads the response only after the rest of its body was consumed.
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
      if (head.length > maxIndexHeadLength) throw new InvalidInput('The first line of the body is too long.');
      hasHead = end !== -1;
    }
    bytes += rest.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    if (rest.length > 0) await file.writeFile(rest);
  }
  return { head: head.toString('utf8'), bytes };
}

/** Yields the chunks of a body; a stall of `stallMs` or an abort destroys the body. */
async function* withStallTimeout(
  body: Readable,
  stallMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const end = (reason: Error): void => void body.destroy(reason);
  const abort = (): void => end(signal.reason as Error);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => end(stalled(stallMs)), stallMs);
  try {
    // Destroying the body would close the connection before the error response is sent.
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
    `The upload stalled: no data arrived for ${Math.ceil(stallMs / 1_000)} seconds. Send it again.`,
  );
}

function tooLarge(maxBytes: number): TooLarge {
  const size = maxBytes >= 1024 ** 3 ? `${Math.floor(maxBytes / 1024 ** 3)} GiB` : `${maxBytes} bytes`;
  return new TooLarge(`The repository is larger than ${size}, the maximum size of an upload.`);
}
