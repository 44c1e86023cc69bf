const BINARY_PROBE = 8 * 1024;
const UTF8_MARK = Buffer.from('\ufeff');

/** NUL in the first 8,192 bytes makes a file binary, much as Git and ripgrep see it. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_PROBE).includes(0);
}

/** The mark of UTF-8 that some editors begin a file with is no part of its first line; ripgrep takes it off as well. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? bytes.subarray(UTF8_MARK.length) : bytes;
}
