import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';

// These functions embed third-party text in Markdown. The text must not end its quotation or add links, images or
// markup.

/** Formats a text as inline code on one line. Backticks cannot be escaped there, so they become apostrophes. */
export function inlineCode(text: string): string {
  return `\`${visibleText(text).replaceAll('`', "'").replaceAll(/\s+/gu, ' ').trim()}\``;
}

/**
 * Formats a text as plain words on one line. Markup is escaped; a web or mail address becomes inline code, so that it
 * is not a link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is required.
 */
export function plainText(text: string): string {
  const pieces = visibleText(text)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .split(/((?:[a-z]{2,10}:\/\/|www\.)[^\s<>`]+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190})/iu);
  return pieces.map((piece, index) => (index % 2 === 1 ? inlineCode(piece) : escaped(piece))).join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()<>#!|~]/gu, String.raw`\$&`);
}
