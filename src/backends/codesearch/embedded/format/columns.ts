/**
 * A column of a table section: a typed array on an 8-byte boundary, so that a reader creates views on the bytes
 * instead of parsing them. Little-endian, like every platform of Node 24 except s390x.
 *
 * Layout: u32 column count, u32 byte length of each, padding, then the columns.
 */
export type Column = Uint8Array | Uint16Array | Uint32Array;

/** Encodes columns. `memory` must return that many bytes, all of them 0. */
export function encodeColumns(
  columns: readonly Column[],
  memory: (bytes: number) => Buffer = (bytes) => Buffer.alloc(bytes),
): Buffer {
  const head = align(4 + 4 * columns.length);
  const size = columns.reduce((sum, column) => sum + align(column.byteLength), head);
  const bytes = memory(size);
  bytes.writeUInt32LE(columns.length, 0);
  let at = head;
  columns.forEach((column, index) => {
    bytes.writeUInt32LE(column.byteLength, 4 + 4 * index);
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += align(column.byteLength);
  });
  return bytes;
}

export interface Columns {
  u8(index: number): Uint8Array;
  u16(index: number): Uint16Array;
  u32(index: number): Uint32Array;
}

/**
 * Creates views on the columns in `bytes`.
 * @throws RangeError if the lengths exceed the section
 */
export function decodeColumns(bytes: ArrayBufferLike): Columns {
  const view = new DataView(bytes);
  const count = view.getUint32(0, true);
  const ranges: { offset: number; length: number }[] = [];
  let at = align(4 + 4 * count);
  for (let index = 0; index < count; index++) {
    const length = view.getUint32(4 + 4 * index, true);
    ranges.push({ offset: at, length });
    at += align(length);
  }
  if (at > bytes.byteLength) throw new RangeError('the columns exceed their section');
  const range = (index: number): { offset: number; length: number } => {
    const found = ranges[index];
    if (found === undefined) throw new RangeError(`column ${index} is missing`);
    return found;
  };
  return {
    u8: (index) => new Uint8Array(bytes, range(index).offset, range(index).length),
    u16: (index) => new Uint16Array(bytes, range(index).offset, range(index).length / 2),
    u32: (index) => new Uint32Array(bytes, range(index).offset, range(index).length / 4),
  };
}

function align(size: number): number {
  return (size + 7) & ~7;
}
