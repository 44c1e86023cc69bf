import { encodeColumns } from '../format/columns.ts';

export interface DocumentRow {
  readonly path: string;
  /** Hex. */
  readonly oid: string;
  readonly rank: number;
  /** Index into the segment's languages. */
  readonly language: number;
  readonly skipped: number;
  readonly firstUnit: number;
  readonly bytes: number;
}

export interface UnitRows {
  /** One more than units: the last is the end. */
  readonly offsets: readonly number[];
  readonly checksums: readonly number[];
  readonly firstLines: readonly number[];
  readonly flags: readonly number[];
}

export function encodeUnits(units: UnitRows): Buffer {
  return encodeColumns([
    Uint32Array.from(units.offsets),
    Uint32Array.from(units.checksums),
    Uint32Array.from(units.firstLines),
    Uint8Array.from(units.flags),
  ]);
}

/** Every document is on the default branch, bit 0 of the mask; other branches take the rest of the 64. */
export function encodeDocuments(documents: readonly DocumentRow[], unitCount: number): Buffer {
  return encodeColumns([
    Uint32Array.from([...documents.map((document) => document.firstUnit), unitCount]),
    Uint32Array.from(documents, (document) => document.bytes),
    Uint16Array.from(documents, (document) => document.language),
    Uint8Array.from(documents, (document) => document.rank),
    Uint8Array.from(documents, (document) => document.skipped),
    new Uint32Array(documents.length).fill(1),
    new Uint32Array(documents.length),
    Buffer.from(documents.map((document) => document.oid).join(''), 'hex'),
  ]);
}

export function encodePaths(documents: readonly DocumentRow[]): Buffer {
  const paths = documents.map((document) => Buffer.from(document.path));
  const offsets = new Uint32Array(paths.length + 1);
  paths.forEach((path, index) => {
    offsets[index + 1] = offsets[index]! + path.length;
  });
  return encodeColumns([offsets, Buffer.concat(paths)]);
}
