const binaryProbeBytes = 8 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

/** Returns whether a file is binary: it has a NUL in its first 8,192 bytes, similar to Git and ripgrep. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}

/**
 * Removes the UTF-8 byte order mark that some editors write. It is not part of the first line; ripgrep removes it,
 * too.
 */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? bytes.subarray(byteOrderMark.length)
    : bytes;
}
