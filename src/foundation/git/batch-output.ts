/** One answer of `git cat-file --batch`. */
export type BatchAnswer = Buffer | 'too_large' | 'missing';

interface Body {
  readonly size: number;
  /** `undefined` for a body that is passed over. */
  readonly buffer: Buffer | undefined;
  filled: number;
  readonly otherwise: 'too_large' | 'missing';
}

export interface BatchReader {
  /** Asked when a body begins: the bytes that its reader takes. */
  readonly limit: () => number;
  /** Asked with it: what the object has to be; a blob unless said otherwise. */
  readonly type?: () => 'blob' | 'tree';
  readonly answer: (answer: BatchAnswer) => void;
}

/**
 * Cuts the output of `git cat-file --batch` into its answers, in order. A body that lies in one chunk is not copied;
 * one above its limit is passed over without being kept.
 */
export class BatchOutput {
  readonly #reader: BatchReader;
  #header = '';
  #body: Body | undefined;

  constructor(reader: BatchReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      at = this.#body === undefined ? this.#readHeader(chunk, at) : this.#readBody(this.#body, chunk, at);
    }
  }

  /** `<oid> <type> <size>` or `<name> missing`. */
  #readHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(0x0a, at);
    this.#header += chunk.toString('latin1', at, end === -1 ? chunk.length : end);
    if (end === -1) return chunk.length;
    const [, type, size] = this.#header.split(' ');
    this.#header = '';
    if (size === undefined) {
      this.#reader.answer('missing');
      return end + 1;
    }
    return this.#beginBody(type === (this.#reader.type?.() ?? 'blob'), Number(size), chunk, end + 1);
  }

  #beginBody(wanted: boolean, size: number, chunk: Buffer, at: number): number {
    const keep = wanted && size <= this.#reader.limit();
    if (keep && at + size < chunk.length) {
      this.#reader.answer(chunk.subarray(at, at + size));
      return at + size + 1;
    }
    const buffer = keep ? Buffer.allocUnsafe(size) : undefined;
    this.#body = { size, buffer, filled: 0, otherwise: wanted ? 'too_large' : 'missing' };
    return at;
  }

  /** A body ends with a line break of its own. */
  #readBody(body: Body, chunk: Buffer, at: number): number {
    const end = Math.min(at + body.size + 1 - body.filled, chunk.length);
    if (body.buffer !== undefined) chunk.copy(body.buffer, body.filled, at, end);
    body.filled += end - at;
    if (body.filled === body.size + 1) {
      this.#body = undefined;
      this.#reader.answer(body.buffer ?? body.otherwise);
    }
    return end;
  }
}
