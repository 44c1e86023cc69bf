/** One response of `git cat-file --batch`. */
export type BatchResponse = Buffer | 'too_large' | 'missing';

interface Body {
  readonly size: number;
  /** Buffer of the body; `undefined` for a body that is skipped. */
  readonly buffer: Buffer | undefined;
  filled: number;
  readonly skipReason: 'too_large' | 'missing';
}

export interface BatchReader {
  /** Called when a body begins. Returns the maximum size that its reader accepts, in bytes. */
  readonly limit: () => number;
  /**
   * Called for each response. Returns the required type of the object, or `info` for a response of one line without a
   * body. Default: blob.
   */
  readonly type?: () => 'blob' | 'tree' | 'info';
  readonly receive: (response: BatchResponse) => void;
}

/**
 * Splits the output of `git cat-file --batch` into its responses, in order. A body that is contained in one chunk is
 * not copied; one above its limit is skipped without buffering.
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
    const header = this.#header;
    this.#header = '';
    const wanted = this.#reader.type?.() ?? 'blob';
    if (wanted === 'info') {
      this.#reader.receive(Buffer.from(header, 'latin1'));
      return end + 1;
    }
    const [, type, size] = header.split(' ');
    if (size === undefined) {
      this.#reader.receive('missing');
      return end + 1;
    }
    return this.#beginBody(type === wanted, Number(size), chunk, end + 1);
  }

  #beginBody(wanted: boolean, size: number, chunk: Buffer, at: number): number {
    const keep = wanted && size <= this.#reader.limit();
    if (keep && at + size < chunk.length) {
      this.#reader.receive(chunk.subarray(at, at + size));
      return at + size + 1;
    }
    const buffer = keep ? Buffer.allocUnsafe(size) : undefined;
    this.#body = { size, buffer, filled: 0, skipReason: wanted ? 'too_large' : 'missing' };
    return at;
  }

  /** Reads a body and the line break that follows it. */
  #readBody(body: Body, chunk: Buffer, at: number): number {
    const end = Math.min(at + body.size + 1 - body.filled, chunk.length);
    if (body.buffer !== undefined) chunk.copy(body.buffer, body.filled, at, end);
    body.filled += end - at;
    if (body.filled === body.size + 1) {
      this.#body = undefined;
      this.#reader.receive(body.buffer ?? body.skipReason);
    }
    return end;
  }
}
