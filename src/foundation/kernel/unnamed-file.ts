import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A temporary file without a name, which ends with the process. */
export class UnnamedFile {
  readonly #file: number;
  #size = 0;

  /** `folder`: where the file is for a moment, by a name that begins with `name`. */
  constructor(folder: string, name: string) {
    const path = join(folder, `${name}-${randomUUID()}.tmp`);
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  /** Size in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds bytes at the end. */
  append(bytes: Uint8Array): void {
    writeSync(this.#file, bytes, 0, bytes.length, this.#size);
    this.#size += bytes.length;
  }

  /** Returns bytes of the file; `undefined` if the host has cut it off. */
  read(position: number, length: number): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length; ) {
      const count = readSync(this.#file, bytes, read, length - read, position + read);
      if (count === 0) return undefined;
      read += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
  }
}
