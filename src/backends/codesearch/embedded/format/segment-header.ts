import { crc32 } from 'node:zlib';

/**
 * The first 4 KB of a segment: magic, format number, checksum of the header itself, and the table of sections.
 * Readers look sections up by name and pass over those they do not know, so that new ones need no new format.
 */
export const HEADER_BYTES = 4096;
/** Raised only when older readers would answer wrongly; an unknown number is rebuilt, never converted. */
const FORMAT = 1;

export interface Section {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

export interface SegmentHeader {
  readonly sections: readonly Section[];
  /** Of the header; the manifest repeats it, so that a segment cannot be swapped for another. */
  readonly checksum: number;
}

const MAGIC = Buffer.from('orgctxsg', 'latin1');
const CHECKSUM_AT = 16;
const TABLE_AT = 24;
const NAME_BYTES = 20;
const ENTRY_BYTES = NAME_BYTES + 8 + 8 + 4;
const MOST_SECTIONS = Math.floor((HEADER_BYTES - TABLE_AT) / ENTRY_BYTES);

export function encodeHeader(sections: readonly Section[]): Buffer {
  if (sections.length > MOST_SECTIONS) throw new RangeError('too many sections for one segment');
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(FORMAT, 8);
  header.writeUInt32LE(sections.length, 12);
  sections.forEach((section, index) => {
    const at = TABLE_AT + index * ENTRY_BYTES;
    header.write(section.name, at, NAME_BYTES, 'latin1');
    header.writeDoubleLE(section.offset, at + NAME_BYTES);
    header.writeDoubleLE(section.length, at + NAME_BYTES + 8);
    header.writeUInt32LE(section.checksum, at + NAME_BYTES + 16);
  });
  header.writeUInt32LE(crc32(header), CHECKSUM_AT);
  return header;
}

/** `undefined` when the bytes are no segment of this format, or are damaged. */
export function decodeHeader(header: Buffer): SegmentHeader | undefined {
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (header.readUInt32LE(8) !== FORMAT) return undefined;
  const checksum = header.readUInt32LE(CHECKSUM_AT);
  const zeroed = Buffer.from(header.subarray(0, HEADER_BYTES));
  zeroed.writeUInt32LE(0, CHECKSUM_AT);
  if (crc32(zeroed) !== checksum) return undefined;
  const count = header.readUInt32LE(12);
  return { checksum, sections: Array.from({ length: count }, (_, index) => decodeSection(header, index)) };
}

function decodeSection(header: Buffer, index: number): Section {
  const at = TABLE_AT + index * ENTRY_BYTES;
  const name = header.subarray(at, at + NAME_BYTES);
  const end = name.indexOf(0);
  return {
    name: name.toString('latin1', 0, end < 0 ? NAME_BYTES : end),
    offset: header.readDoubleLE(at + NAME_BYTES),
    length: header.readDoubleLE(at + NAME_BYTES + 8),
    checksum: header.readUInt32LE(at + NAME_BYTES + 16),
  };
}
