import { crc32 } from 'node:zlib';

/**
 * Size of the header, the first 4 KB of a segment: magic number, format number, checksum of the header itself, and
 * the table of sections. Readers look up sections by name and ignore unknown ones, so that a new section needs no new
 * format.
 */
export const headerBytes = 4096;
/**
 * Increased only if older readers would return wrong results. A segment of another format is rebuilt, never
 * converted.
 */
const format = 1;

export interface Section {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

export interface SegmentHeader {
  readonly sections: readonly Section[];
  /** Checksum of the header. The manifest repeats it, so that a segment cannot be replaced by another one. */
  readonly checksum: number;
}

const magic = Buffer.from('orgctxsg', 'latin1');
const checksumAt = 16;
const tableAt = 24;
const nameBytes = 20;
const entryBytes = nameBytes + 8 + 8 + 4;
const maxSections = Math.floor((headerBytes - tableAt) / entryBytes);

export function encodeHeader(sections: readonly Section[]): Buffer {
  if (sections.length > maxSections) throw new RangeError('a segment has too many sections');
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32LE(format, 8);
  header.writeUInt32LE(sections.length, 12);
  sections.forEach((section, index) => {
    const at = tableAt + index * entryBytes;
    header.write(section.name, at, nameBytes, 'latin1');
    header.writeDoubleLE(section.offset, at + nameBytes);
    header.writeDoubleLE(section.length, at + nameBytes + 8);
    header.writeUInt32LE(section.checksum, at + nameBytes + 16);
  });
  header.writeUInt32LE(crc32(header), checksumAt);
  return header;
}

/** Decodes a header; `undefined` if the bytes are damaged or not a segment of this format. */
export function decodeHeader(header: Buffer): SegmentHeader | undefined {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic)) return undefined;
  if (header.readUInt32LE(8) !== format) return undefined;
  const checksum = header.readUInt32LE(checksumAt);
  const zeroed = Buffer.from(header.subarray(0, headerBytes));
  zeroed.writeUInt32LE(0, checksumAt);
  if (crc32(zeroed) !== checksum) return undefined;
  const count = header.readUInt32LE(12);
  return { checksum, sections: Array.from({ length: count }, (_, index) => decodeSection(header, index)) };
}

function decodeSection(header: Buffer, index: number): Section {
  const at = tableAt + index * entryBytes;
  const name = header.subarray(at, at + nameBytes);
  const end = name.indexOf(0);
  return {
    name: name.toString('latin1', 0, end < 0 ? nameBytes : end),
    offset: header.readDoubleLE(at + nameBytes),
    length: header.readDoubleLE(at + nameBytes + 8),
    checksum: header.readUInt32LE(at + nameBytes + 16),
  };
}
