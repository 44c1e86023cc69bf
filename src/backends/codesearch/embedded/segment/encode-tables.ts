import { encodeColumns } from '../format/columns.ts';

export interface DocumentRow {
  readonly path: string;
  /** Blob id, in hex. */
  readonly oid: string;
  readonly rank: number;
  /** Index into the segment's languages. */
  readonly language: number;
  readonly skipped: number;
  readonly firstUnit: number;
  readonly bytes: number;
  /** Bit masks of branches 0 to 31 and 32 to 63. */
  readonly branches: readonly [low: number, high: number];
}

export interface UnitRows {
  /** One entry per unit, and the end. */
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

export function encodeDocuments(documents: readonly DocumentRow[], unitCount: number): Buffer {
  return encodeColumns([
    Uint32Array.from([...documents.map((document) => document.firstUnit), unitCount]),
    Uint32Array.from(documents, (document) => document.bytes),
    Uint16Array.from(documents, (document) => document.language),
    Uint8Array.from(documents, (document) => document.rank),
    Uint8Array.from(documents, (document) => document.skipped),
    Uint32Array.from(documents, (document) => document.branches[0]),
    Uint32Array.from(documents, (document) => document.branches[1]),
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
