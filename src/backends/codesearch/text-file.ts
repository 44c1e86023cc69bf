const binaryProbeBytes = 8 * 1024;
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Returns the text of a file in UTF-8 without its byte order mark, which is not part of the first line; `undefined`
 * for a binary file. Text in UTF-16 is recognized by its byte order mark and decoded, similar to ripgrep. Other bytes
 * are text unless the first 8,192 contain a NUL, similar to Git and ripgrep; they may be invalid UTF-8.
 */
export function textOf(bytes: Buffer): Buffer | undefined {
  const text = fromUtf16(bytes) ?? bytes;
  if (text.subarray(0, binaryProbeBytes).includes(0)) return undefined;
  return text.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? text.subarray(byteOrderMark.length)
    : text;
}

/** Decodes UTF-16 with a byte order mark. Bytes that are not well-formed UTF-16 are those of another format. */
function fromUtf16(bytes: Buffer): Buffer | undefined {
  const [first, second] = bytes;
  const littleEndian = first === 0xff && second === 0xfe;
  if (!littleEndian && !(first === 0xfe && second === 0xff)) return undefined;
  const units = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const text = (littleEndian ? units : Buffer.from(units).swap16()).toString('utf16le');
  return text.isWellFormed() ? Buffer.from(units.length < bytes.length ? `${text}\ufffd` : text) : undefined;
}

/** Maximum size of a pointer, in bytes (the specification of Git LFS). */
const maxPointerBytes = 1024;

/**
 * Returns whether a file is a pointer of Git LFS: the content of the file is not in the repository. The second address
 * is that of its first versions.
 */
export function isLfsPointer(text: Buffer): boolean {
  if (text.length >= maxPointerBytes) return false;
  // bounded: at most 1,024 characters (the check above)
  return /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\r?\n(?:[^\n]*\n)*oid sha256:/.test(
    text.toString('latin1'),
  );
}
