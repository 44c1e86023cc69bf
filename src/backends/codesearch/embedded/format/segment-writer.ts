import { closeSync, fsync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { encodeHeader, HEADER_BYTES, type Section } from './segment-header.ts';

const BUFFER_BYTES = 256 * 1024;

/** Writes one segment file: sections in order, each in any number of pieces, the header last. */
export class SegmentWriter {
  readonly #fd: number;
  readonly #sections: Section[] = [];
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  /** Behind everything that is buffered. */
  #position = HEADER_BYTES;
  #buffered = 0;
  #open = true;

  constructor(file: string) {
    this.#fd = openSync(file, 'wx', 0o600);
  }

  /** Starts a section; pieces go to the returned function until the next section starts. */
  begin(name: string): (piece: Uint8Array) => void {
    this.#flush();
    this.#position = (this.#position + 7) & ~7;
    const section = { name, offset: this.#position, length: 0, checksum: 0 };
    this.#sections.push(section);
    return (piece) => {
      this.#append(piece);
      section.length += piece.length;
      section.checksum = crc32(piece, section.checksum);
    };
  }

  section(name: string, bytes: Uint8Array): void {
    this.begin(name)(bytes);
  }

  /** Writes the header and forces everything to disk. Returns what the manifest has to know. */
  async finish(): Promise<{ bytes: number; checksum: number }> {
    this.#flush();
    const header = encodeHeader(this.#sections);
    this.#writeAt(header, 0);
    await promisify(fsync)(this.#fd);
    this.close();
    return { bytes: this.#position, checksum: header.readUInt32LE(16) };
  }

  /** Without `finish` the file stays without a header, so that nobody takes it for a segment. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  /** Small pieces are gathered: a repository is thousands of them. */
  #append(piece: Uint8Array): void {
    if (piece.length > BUFFER_BYTES - this.#buffered) this.#flush();
    if (piece.length > BUFFER_BYTES) this.#writeAt(piece, this.#position);
    else {
      this.#buffer.set(piece, this.#buffered);
      this.#buffered += piece.length;
    }
    this.#position += piece.length;
  }

  #flush(): void {
    const start = this.#position - this.#buffered;
    this.#writeAt(this.#buffer.subarray(0, this.#buffered), start);
    this.#buffered = 0;
  }

  #writeAt(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
    }
  }
}
