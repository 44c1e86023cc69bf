import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ParsedFile } from '../../../backends/languages/port.ts';
import { UnnamedFile } from '../../../foundation/kernel/unnamed-file.ts';
import { hashOf } from '../symbols/resolve/name-index.ts';
import type { TableFile } from '../symbols/resolve/table-file.ts';

/** Minimum size of gaps that matters, in bytes. */
const minWaste = 2 ** 26;

/** The place of a parsed file: a position, and the bytes of its parts in their order. */
export interface StoredFile {
  readonly position: number;
  /** The data that other files are resolved with. */
  readonly tableBytes: number;
  readonly usesBytes: number;
  readonly namesBytes: number;
}

/**
 * Parsed files in a temporary file without a name, which ends with the process. They do not fit into memory: those of a
 * large repository have hundreds of megabytes. What is replaced leaves a gap.
 */
export class ParsedFiles {
  readonly #file: UnnamedFile;
  #gaps = 0;

  constructor(folder: string) {
    this.#file = new UnnamedFile(folder, 'projection');
  }

  /** True if most of the file is gaps, and they are large. */
  get isWasteful(): boolean {
    return this.#gaps > minWaste && this.#gaps * 2 > this.#file.size;
  }

  store(parsed: ParsedFile): StoredFile {
    const { calls, references, ...rest } = parsed;
    const inherits = references.filter(({ kind }) => kind === 'inherits');
    const table = pack({ ...rest, references: inherits } satisfies TableFile);
    const uses = pack({ calls, references } satisfies Pick<ParsedFile, 'calls' | 'references'>);
    const names = hashesOf(parsed);
    const position = this.#file.size;
    for (const bytes of [table, uses, names]) this.#file.append(bytes);
    return { position, tableBytes: table.length, usesBytes: uses.length, namesBytes: names.length };
  }

  table({ position, tableBytes }: StoredFile): TableFile {
    return unpack(this.#read(position, tableBytes)) as TableFile;
  }

  parsed(stored: StoredFile): ParsedFile {
    const { position, tableBytes, usesBytes } = stored;
    const bytes = this.#read(position, tableBytes + usesBytes);
    const table = unpack(bytes.subarray(0, tableBytes)) as TableFile;
    return { ...table, ...(unpack(bytes.subarray(tableBytes)) as Pick<ParsedFile, 'calls' | 'references'>) };
  }

  /** Gives up a stored file. */
  release({ tableBytes, usesBytes, namesBytes }: StoredFile): void {
    this.#gaps += tableBytes + usesBytes + namesBytes;
  }

  /** Returns whether a file contains one of some names; by their hashes, so that it may say yes without a reason. */
  mayName({ position, tableBytes, usesBytes, namesBytes }: StoredFile, names: ReadonlySet<number>): boolean {
    const bytes = this.#read(position + tableBytes + usesBytes, namesBytes);
    for (let at = 0; at < bytes.length; at += 4) if (names.has(bytes.readUInt32LE(at))) return true;
    return false;
  }

  close(): void {
    this.#file.close();
  }

  #read(position: number, length: number): Buffer {
    const bytes = this.#file.read(position, length);
    if (bytes === undefined) throw new Error('the temporary file of the projection was cut off');
    return bytes;
  }
}

/** Returns the hash by which `mayName` knows a name. */
export function nameHash(name: string): number {
  return hashOf(name) >>> 0;
}

/** Returns the hashes of all names that decide what the uses in a file mean, besides the types of other files. */
function hashesOf({ symbols, imports, calls, references }: ParsedFile): Uint8Array {
  const hashes = new Set<number>();
  const add = (name: string | undefined): void => {
    if (name !== undefined) hashes.add(nameHash(name));
  };
  for (const { name, returns } of symbols) {
    add(name);
    for (const part of partsOf(returns)) add(part);
  }
  for (const { name, local } of imports) {
    add(name);
    add(local);
  }
  for (const { name, receiver, receiverType } of [...calls, ...references]) {
    add(name);
    for (const part of partsOf(receiver)) add(part);
    for (const part of partsOf(receiverType)) add(part);
  }
  const bytes = Buffer.allocUnsafe(hashes.size * 4);
  for (const [index, hash] of [...hashes].entries()) bytes.writeUInt32LE(hash, index * 4);
  return bytes;
}

/** Returns the names of an expression such as `lease.held()`. */
export function partsOf(expression: string | undefined): readonly string[] {
  return expression?.split(/[^\p{L}\p{N}_$?!#@~]+/u).filter((part) => part !== '') ?? [];
}

function pack(value: object): Uint8Array {
  return zstdCompressSync(JSON.stringify(value));
}

function unpack(bytes: Uint8Array): unknown {
  return JSON.parse(zstdDecompressSync(bytes).toString());
}
