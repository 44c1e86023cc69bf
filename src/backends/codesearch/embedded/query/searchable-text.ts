import { isAscii } from 'node:buffer';
import { UNIT_FLAGS } from '../format/segment-sections.ts';
import { decodeText } from './decode-text.ts';

/** A unit, a document or a path: its bytes, and its text once somebody asks. Positions are those of the text. */
export interface SearchableText {
  readonly bytes: Buffer;
  readonly ascii: boolean;
  /** Without the newline at the end, so that no empty line follows it. */
  text(): string;
}

const NEWLINE = 0x0a;

export function searchableText(bytes: Buffer, flags: number): SearchableText {
  const trimmed = bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes;
  let text: string | undefined;
  return {
    bytes: trimmed,
    ascii: (flags & UNIT_FLAGS.ascii) !== 0,
    text: () => (text ??= decodeText(trimmed, flags)),
  };
}

export function searchablePath(path: string): SearchableText {
  const bytes = Buffer.from(path);
  return { bytes, ascii: isAscii(bytes), text: () => path };
}
