import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { encodeHeader, HEADER_BYTES, type Section } from './segment-header.ts';

/** Writes one segment file: sections in order, each in any number of pieces, the header last. */
export class SegmentWriter {
  readonly #fd: number;
  readonly #sections: Section[] = [];
  #position = HEADER_BYTES;
  #open = true;

  constructor(file: string) {
    this.#fd = openSync(file, 'wx', 0o600);
  }

  /** Starts a section; pieces go to the returned function until the next section starts. */
  begin(name: string): (piece: Uint8Array) => void {
    this.#position = (this.#position + 7) & ~7;
    const index = this.#sections.length;
    this.#sections.push({ name, offset: this.#position, length: 0, checksum: 0 });
    return (piece) => {
      const section = this.#sections[index]!;
      this.#writeAll(piece, this.#position);
      this.#position += piece.length;
      this.#sections[index] = {
        ...section,
        length: section.length + piece.length,
        checksum: crc32(piece, section.checksum),
      };
    };
  }

  section(name: string, bytes: Uint8Array): void {
    this.begin(name)(bytes);
  }

  /** Writes the header and forces everything to disk. Returns what the manifest has to know. */
  finish(): { bytes: number; checksum: number } {
    const header = encodeHeader(this.#sections);
    this.#writeAll(header, 0);
    fsyncSync(this.#fd);
    this.close();
    return { bytes: this.#position, checksum: header.readUInt32LE(16) };
  }

  /** Without `finish` the file stays without a header, so that nobody takes it for a segment. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }

  #writeAll(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
    }
  }
}
