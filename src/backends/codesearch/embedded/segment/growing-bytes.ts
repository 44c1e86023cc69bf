import { writeVarint } from '../format/varint.ts';

/** Bytes that are appended few by few, in memory that doubles. */
export class GrowingBytes {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Up to 32 bits. */
  varint(value: number): void {
    this.#makeRoom(5);
    this.#length = writeVarint(this.#bytes, this.#length, value);
  }

  bytes(more: Uint8Array): void {
    this.#makeRoom(more.length);
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  /** `text` is latin1: a byte each. */
  line(text: string): void {
    this.#makeRoom(text.length + 1);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
    this.#bytes[this.#length++] = 0x0a;
  }

  /** What was appended, and empty again. */
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
