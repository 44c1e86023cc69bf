import { closeSync, fsync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { encodeHeader, headerBytes, type Section } from './segment-header.ts';

const bufferBytes = 256 * 1024;

/** Writes one segment file: the sections in order, each in any number of chunks, then the header. */
export class SegmentWriter {
  readonly #fd: number;
  readonly #sections: Section[] = [];
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  /** Offset after all buffered bytes. */
  #position = headerBytes;
  #buffered = 0;
  #open = true;

  constructor(file: string) {
    this.#fd = openSync(file, 'wx', 0o600);
  }

  /** Starts a section. The returned function appends chunks until the next section starts. */
  begin(name: string): (chunk: Uint8Array) => void {
    this.#flush();
    this.#position = (this.#position + 7) & ~7;
    const section = { name, offset: this.#position, length: 0, checksum: 0 };
    this.#sections.push(section);
    return (chunk) => {
      this.#append(chunk);
      section.length += chunk.length;
      section.checksum = crc32(chunk, section.checksum);
    };
  }

  section(name: string, bytes: Uint8Array): void {
    this.begin(name)(bytes);
  }

  /** Writes the header and forces everything to disk. Returns the values that the manifest stores. */
  async finish(): Promise<{ bytes: number; checksum: number }> {
    this.#flush();
    const header = encodeHeader(this.#sections);
    this.#writeAt(header, 0);
    await promisify(fsync)(this.#fd);
    this.close();
    return { bytes: this.#position, checksum: header.readUInt32LE(16) };
  }

  /** Closes the file. Without `finish` it has no header, so it is not a valid segment. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  /** Buffers small chunks, because a repository has thousands of them. */
  #append(chunk: Uint8Array): void {
    if (chunk.length > bufferBytes - this.#buffered) this.#flush();
    if (chunk.length > bufferBytes) this.#writeAt(chunk, this.#position);
    else {
      this.#buffer.set(chunk, this.#buffered);
      this.#buffered += chunk.length;
    }
    this.#position += chunk.length;
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
