import { type Readable, type Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface BodyLimits {
  readonly host: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads and decodes a whole body. Bytes are counted after decoding, so that a small compressed bomb cannot become a
 * large buffer.
 */
export async function readBody(body: Readable, encodings: string, limits: BodyLimits): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  await pipeline([body, ...decodersOf(encodings, limits.host), collector(chunks, limits)], {
    signal: limits.signal,
  });
  return Buffer.concat(chunks);
}

/** Creates the decoders. Encodings are listed in the order in which they were applied (RFC 9110 section 8.4). */
function decodersOf(encodings: string, host: string): Transform[] {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const makers = names.toReversed().map((name) => decoders[name]);
  if (makers.length > 3 || makers.includes(undefined)) {
    throw new OutboundError(host, 'protocol', `${host} sent a content encoding that is not supported.`, {
      cause: { encodings: encodings.slice(0, 100) },
    });
  }
  return makers.filter((maker) => maker !== undefined).map((maker) => maker());
}

function collector(chunks: Buffer[], { host, maxBytes }: BodyLimits): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        done(
          new OutboundError(host, 'too_large', `The response of ${host} is larger than ${maxBytes} bytes.`),
        );
        return;
      }
      chunks.push(chunk);
      done();
    },
  });
}
