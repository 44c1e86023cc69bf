/** Maximum number of members (object members and array items) and of nested levels of a JSON body. */
export interface JsonLimits {
  readonly members: number;
  readonly depth: number;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Describes the limit that a JSON text exceeds, after one pass over its bytes; `undefined` if it exceeds none. Parsing
 * and validating many members takes seconds, in which no other request is answered, and deep nesting exceeds the
 * stack. Whether the text is valid JSON is left to the parser.
 */
export function exceededJsonLimit(bytes: Uint8Array, limits: JsonLimits): string | undefined {
  let [members, depth] = [0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) index = endOfString(bytes, index);
    else if (byte === comma) members += 1;
    else if (byte === openBrace || byte === openBracket) {
      members += 1;
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth > limits.depth) return `the body is nested deeper than ${limits.depth} levels`;
    if (members > limits.members) {
      return `the body has more than ${limits.members} members and items; send less in one request`;
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends the string, or the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
  return index;
}
