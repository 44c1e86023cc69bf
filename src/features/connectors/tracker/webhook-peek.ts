/** Bytes up to this one count as white space between the tokens of JSON. */
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Maximum length of a value, in bytes. Longer than any id, even with every character escaped (`\u0041`). */
const maxValueLength = 1_200;

/**
 * Reads a string field of the outermost object from unverified bytes, which are not worth parsing: in one pass,
 * without recursion, without allocations and without exceptions. For valid JSON the result equals that of
 * `JSON.parse` (the last of duplicate names counts, escapes are decoded). For other bytes the result is arbitrary,
 * which is safe because it only selects the secrets to try. `name` must consist of letters, digits and similar
 * characters.
 */
export function peekText(body: Buffer, name: string): string | undefined {
  let valueStart = -1;
  let valueEnd = -1;
  let next: 'name' | 'value' | 'other' = 'name';
  let depth = 1;
  const first = body.findIndex((byte) => byte > space);
  if (body[first] !== openObject) return undefined;
  for (let at = first + 1; at < body.length && depth > 0; at += 1) {
    const byte = body[at] ?? space;
    if (byte === quote) {
      const end = endOfText(body, at);
      if (next === 'value') {
        valueStart = at;
        valueEnd = end;
      }
      next = next === 'name' && matchesName(body, at + 1, end, name) ? 'value' : 'other';
      at = end;
    } else if (byte > space && byte !== colon) {
      if (next === 'value') valueStart = -1;
      depth += depthChange(byte);
      next = depth === 1 && byte === comma ? 'name' : 'other';
    }
  }
  return valueStart === -1 ? undefined : textBetween(body, valueStart, valueEnd);
}

/** Returns the offset of the closing quote, or the end of the bytes if there is none. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return body.length;
}

/** True if the bytes are the name, plain or escaped. Stops at the first character that differs. */
function matchesName(body: Buffer, start: number, end: number, name: string): boolean {
  let at = start;
  for (let index = 0; index < name.length; index += 1) {
    if (at >= end) return false;
    const escaped = body[at] === backslash;
    const code = escaped ? escapedLetter(body, at) : body[at];
    if (code !== name.charCodeAt(index)) return false;
    at += escaped ? 6 : 1;
  }
  return at === end;
}

/** Decodes `\u0041`. Other escapes stand for characters that a name does not contain. */
function escapedLetter(body: Buffer, at: number): number | undefined {
  if (body[at + 1] !== 0x75) return undefined;
  let code = 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const value = hexValue(body[digit] ?? 0);
    if (value === undefined) return undefined;
    code = code * 16 + value;
  }
  return code;
}

function hexValue(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}

/** Decodes the bytes of a JSON string: the only allocation of a peek. */
function textBetween(body: Buffer, start: number, end: number): string | undefined {
  if (end - start > maxValueLength) return undefined;
  try {
    return JSON.parse(body.toString('utf8', start, end + 1)) as string;
  } catch {
    return undefined;
  }
}

function depthChange(byte: number): -1 | 0 | 1 {
  if (byte === openObject || byte === openArray) return 1;
  return byte === closeObject || byte === closeArray ? -1 : 0;
}
