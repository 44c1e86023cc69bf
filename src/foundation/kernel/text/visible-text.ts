/**
 * Makes untrusted text (source code, names, a server's message) safe to display on a terminal or in a response.
 * Removes control characters, which move a terminal's cursor and change its colours, and bidirectional overrides,
 * zero-width and tag characters, which make a text look different from its content (CVE-2021-42574). Keeps tabs and
 * newlines. A lone carriage return becomes a space: as a newline, it could forge a line, and would shift line numbers.
 * So does a line or paragraph separator, which parts words.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\r\u2028\u2029]/g, ' ')
    .replaceAll(hidden, '')
    .toWellFormed();
}

/**
 * Makes the text of a file safe to display line by line, and loses nothing but the carriage return of a line end: what
 * `visibleText` removes is written as `\\u` escapes. Has the lines of the file, which end at newlines only.
 */
export function visibleSource(text: string): string {
  return escapeHidden(text.replaceAll('\r\n', '\n')).toWellFormed();
}

/** Makes untrusted text safe to display on one line, so that a name with a newline cannot forge another line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', ' ');
}

/** Quotes an untrusted name of at most `max` characters on one line, so that nothing after the quote is a part of it. */
export function quoted(name: string, max: number): string {
  return `\`${shorten(visibleLine(name).replaceAll('`', "'"), max)}\``;
}

/** Maximum length of a text of a request that a response repeats. */
const maxRepeated = 200;

/**
 * Shortens a text to `max` characters, followed by an ellipsis. The default is for texts of a request that a response
 * repeats, so that a large request cannot cause a large response.
 */
export function shorten(text: string, max = maxRepeated): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}

/**
 * Makes the characters that `visibleText` removes visible as `\\u` escapes, for logs, which must show what was there.
 * JSON text stays the same JSON.
 */
export function escapeHidden(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** Formats a value as JSON in one line, in which such characters are escapes. */
export function visibleJson(value: unknown): string {
  return escapeHidden(JSON.stringify(value));
}

const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;
