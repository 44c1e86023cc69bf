/**
 * Normalizes text of a provider to what mirrored files contain. Removes control characters, bidirectional overrides and
 * Unicode tags, which make a text look different from its content (CVE-2021-42574); every line end becomes a newline;
 * the text is in NFC without blank lines at its start and without white space at its end. Idempotent.
 */
export function plainText(text: string): string {
  if (plainAscii.test(text)) return text.replace(blankLines, '').trimEnd();
  const visible = text.toWellFormed().replaceAll(lineEnds, '\n').replaceAll(removed, '');
  const composed = visible.replaceAll(excessMarks, '$1').normalize('NFC').replaceAll(excessMarks, '$1');
  return composed.replace(blankLines, '').trimEnd();
}

/** Normalizes text that must stay on one line, such as a title: each run of white space becomes one blank. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/\s+/gu, ' ').trim();
}

/** Most text has nothing else, and needs no work. */
const plainAscii = /^[\t\n -~]*$/u;

const lineEnds = /\r\n?|[\u0085\u2028\u2029]/gu;

/** Joiners and direction marks stay: emoji and several scripts need them. */
const removed = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/**
 * Combining marks beyond 30 in a row, the limit of the stream-safe format (UAX #15, section 13). Normalization takes
 * quadratic time on longer runs.
 */
const excessMarks = /(\p{M}{30})\p{M}+/gu;

const blankLines = /^(?:[ \t]*\n)+/u;
