import { isUtf8 } from 'node:buffer';

/**
 * Git paths are bytes, ours are text. UTF-8 is taken as it is; any other byte becomes `\xHH`. Where a path spells such
 * a mark itself, its backslash becomes `\x5C`, so that `pathBytes` gives back every path exactly.
 */
export function pathText(bytes: Buffer): string {
  if (isUtf8(bytes)) return escapeMarks(bytes.toString('utf8'));
  const parts: string[] = [];
  let literalFrom = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(escapeMarks(bytes.toString('utf8', literalFrom, at)), markOf(bytes.readUInt8(at)));
      literalFrom = at + 1;
    }
    at += length || 1;
  }
  return parts.join('') + escapeMarks(bytes.toString('utf8', literalFrom));
}

/** The bytes of a path that `pathText` made; of any other text, its UTF-8. */
export function pathBytes(path: string): Buffer {
  const parts = path.split(/\\x(5C|[89A-F][\dA-F])/);
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'hex')));
}

function escapeMarks(text: string): string {
  return text.replace(/\\(?=x(?:5C|[89A-F][\dA-F]))/g, markOf(0x5c));
}

function markOf(byte: number): string {
  return `\\x${byte.toString(16).toUpperCase()}`;
}

/** Bytes of the UTF-8 character at `at`; 0 when there is none. */
function characterLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
