import { isUtf8 } from 'node:buffer';

/**
 * Converts a Git path, which is bytes, to text. UTF-8 is unchanged; any other byte becomes `\xHH`. If a path itself
 * contains such an escape, its backslash becomes `\x5C`, so that `pathBytes` restores every path exactly.
 */
export function pathText(bytes: Buffer): string {
  if (isUtf8(bytes)) return escapeBackslashes(bytes.toString('utf8'));
  const parts: string[] = [];
  let literalFrom = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      parts.push(
        escapeBackslashes(bytes.toString('utf8', literalFrom, at)),
        escapedByte(bytes.readUInt8(at)),
      );
      literalFrom = at + 1;
    }
    at += length || 1;
  }
  return parts.join('') + escapeBackslashes(bytes.toString('utf8', literalFrom));
}

/** Returns the bytes of a path that `pathText` converted; for any other text, its UTF-8. */
export function pathBytes(path: string): Buffer {
  const parts = path.split(/\\x(5C|[89A-F][\dA-F])/);
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? 'utf8' : 'hex')));
}

function escapeBackslashes(text: string): string {
  return text.replace(/\\(?=x(?:5C|[89A-F][\dA-F]))/g, escapedByte(0x5c));
}

function escapedByte(byte: number): string {
  return `\\x${byte.toString(16).toUpperCase()}`;
}

/** Returns the length in bytes of the UTF-8 character at `at`; 0 if there is none. */
function characterLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
