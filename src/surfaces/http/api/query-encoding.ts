import { invalidField } from '../../../foundation/kernel/invalid-field.ts';

/**
 * Refuses a query string whose escapes are no UTF-8. The framework takes such a value as it stands, so that `%FF` would
 * be searched for as three characters.
 * @throws InvalidInput naming the parameter, and the column of the fault in its value
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

/** One after another: escapes that belong together, a percent sign of none, and what needs no decoding. */
const pieces = /(?:%[\dA-Fa-f]{2})+|%|[^%]+/gu;

function checkEscapes(text: string, name: string): void {
  let column = 1;
  for (const [piece] of text.matchAll(pieces)) {
    const decoded = piece.startsWith('%') ? decode(piece) : piece;
    if (decoded === undefined) {
      const inside = Math.max(0, lenient(piece).indexOf('\uFFFD'));
      const advice = piece === '%' ? 'write `%25` for a percent sign' : 'send UTF-8, percent-encoded';
      const message = `column ${column + inside}: these bytes are no UTF-8 text; ${advice}`;
      throw invalidField(shown(name), message, `The parameter \`${shown(name)}\`, ${message}.`);
    }
    column += decoded.length;
  }
}

/** With U+FFFD for what cannot be decoded. */
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

/** A name that is broken itself, or strange, is not repeated. */
function shown(name: string): string {
  return /^\w{1,40}$/u.test(name) ? name : 'query';
}
