import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

/**
 * Refuses a query string with percent-encoding that is not UTF-8. The framework would keep it undecoded, so that
 * `%FF` would be searched as three characters.
 * @throws InvalidInput naming the parameter, and the column of the error in its value
 */
export function checkQueryEncoding(url: string): void {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return;
  for (const pair of url.slice(start + 1).split('&')) {
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? ['', pair] : [pair.slice(0, equals), pair.slice(equals + 1)];
    checkEscapes(name, name);
    checkEscapes(value, name);
  }
}

/** Splits text into runs of escapes, single percent signs, and text that needs no decoding. */
const pieces = /(?:%[\dA-Fa-f]{2})+|%|[^%]+/gu;

function checkEscapes(text: string, name: string): void {
  let column = 1;
  for (const [piece] of text.matchAll(pieces)) {
    const decoded = piece.startsWith('%') ? decode(piece) : piece;
    if (decoded === undefined) {
      const inside = Math.max(0, lenient(piece).indexOf('\uFFFD'));
      const advice = piece === '%' ? 'write `%25` for a percent sign' : 'send UTF-8, percent-encoded';
      const message = `column ${column + inside}: these bytes are not UTF-8 text; ${advice}`;
      throw isUsual(name)
        ? invalidField(name, message, `The parameter \`${name}\`, ${message}.`)
        : new InvalidInput(`The query, ${message}.`, { errors: [{ path: '', message }] });
    }
    column += decoded.length;
  }
}

/** Decodes escapes, with U+FFFD for bytes that are not UTF-8. */
function lenient(escapes: string): string {
  return Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8');
}

function decode(escapes: string): string | undefined {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return undefined;
  }
}

/** Returns true for a parameter name that an error message can repeat. */
function isUsual(name: string): boolean {
  return /^\w{1,40}$/u.test(name);
}
