const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Bytes of a text that is read: longer than any name or id, even with every character escaped (`\u0041`). */
const longestText = 1_200;

/**
 * The text of a field of the outermost object, from bytes that are not verified and so not worth parsing: one pass,
 * no recursion, nothing kept. For valid JSON it is what `JSON.parse` would give (of a name that stands twice the last
 * one counts, escapes are read); for anything else whatever, since only the choice of secrets hangs on it.
 */
export function peekText(body: Buffer, name: string): string | undefined {
  let found: string | undefined;
  let next: 'name' | 'value' | 'other' = 'name';
  let depth = 1;
  let at = afterSpace(body, 0);
  if (body[at] !== openObject) return undefined;
  for (at = afterSpace(body, at + 1); at < body.length && depth > 0; at = afterSpace(body, at + 1)) {
    const byte = body[at];
    if (byte === quote) {
      const end = endOfText(body, at);
      const text: string | undefined = next === 'other' ? undefined : textBetween(body, at, end);
      if (next === 'value') found = text;
      next = next === 'name' && text === name ? 'value' : 'other';
      at = end;
    } else if (byte !== colon) {
      if (next === 'value') found = undefined;
      depth += depthChange(byte);
      next = depth === 1 && byte === comma ? 'name' : 'other';
    }
  }
  return found;
}

function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}

/** Where the closing quote stands; the end of the bytes when there is none. */
function endOfText(body: Buffer, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return Math.min(at, body.length);
}

function textBetween(body: Buffer, start: number, end: number): string | undefined {
  if (end - start > longestText) return undefined;
  try {
    return JSON.parse(body.toString('utf8', start, end + 1)) as string;
  } catch {
    return undefined;
  }
}

function depthChange(byte: number | undefined): -1 | 0 | 1 {
  if (byte === openObject || byte === openArray) return 1;
  return byte === closeObject || byte === closeArray ? -1 : 0;
}
