import { writeVarint } from '../format/varint.ts';

/** A byte buffer for many small appends; its memory doubles when full. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a varint of up to 32 bits. */
  varint(value: number): void {
    this.#makeRoom(5);
    this.#length = writeVarint(this.#bytes, this.#length, value);
  }

  /** Appends bytes. */
  bytes(more: Uint8Array): void {
    this.#makeRoom(more.length);
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  /** Appends a line in UTF-8, which has at most three bytes for each UTF-16 code unit. */
  line(text: string): void {
    this.#makeRoom(3 * text.length + 1);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
    this.#bytes[this.#length++] = 0x0a;
  }

  /** Returns the appended bytes and resets the buffer. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(4096);
    this.#length = 0;
    return taken;
  }

  #makeRoom(more: number): void {
    if (this.#bytes.length - this.#length >= more) return;
    const wider = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(wider, 0, 0, this.#length);
    this.#bytes = wider;
  }
}
