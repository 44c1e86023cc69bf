import { listed } from '../../../foundation/kernel/text/listed.ts';
import { shorten, visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import type { Sentence } from '../finding.ts';
import type { RankedQuestion } from '../inquiry.ts';

// These functions embed third-party text in Markdown. The text must not end its quotation or add links, images or
// markup.

function onOneLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/gu, ' ').trim();
}

/** Formats a text as inline code on one line. Backticks cannot be escaped there, so they become apostrophes. */
export function inlineCode(text: string): string {
  return `\`${onOneLine(text).replaceAll('`', "'")}\``;
}

/** Lists names as inline code. */
export function codeList(names: readonly string[], max = 8): string {
  return listed(names.map(inlineCode), max);
}

/** Lists the names of repositories. */
export function namesOf(repositories: readonly { readonly name: string }[], max?: number): string {
  const names = repositories.map(({ name }) => name);
  return codeList(names, max);
}

/** Names the files that were searched: those of some repositories, or of all. */
export function fileOf({ searched, repositories }: RankedQuestion): string {
  return searched.length === repositories.length ? 'indexed file' : `file of ${namesOf(searched)}`;
}

/**
 * Matches a text that a client may make a link although it has no scheme with slashes: a name with a dot that could be
 * a host, such as `evil.example` or `README.md`, in any script; an address of IPv4; a name after two slashes; a mail
 * address; and a scheme such as `tel:1`, which any program can claim. Browsers also read the full stops of Chinese and
 * Japanese as dots, which end sentences there, so they count between Latin letters only.
 */
export const linkable =
  /[\p{L}\p{M}\p{N}\p{S}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|^\/\/[\p{L}\p{N}]|[a-z0-9-][。．｡][a-z][a-z0-9-]|@\w|[a-z][a-z0-9+.-]{1,31}:\S/iu;

/** Matches a word with signs of markup. */
const markup = /[\\`*[\]<>|~]/u;

/** Formats a text as plain words on one line. What would be markup or a link becomes inline code. */
export function plainText(text: string): string {
  const words = visibleText(text).match(/(?:`[^`]*`|[^\s`]|`)+/gu) ?? [];
  const plain = words
    .map((word) => {
      const [, before = '', code, after = ''] = /^(\(?)`([^`]+)`([).,:;!?]*)$/u.exec(word) ?? [];
      if (code !== undefined) return `${before}${inlineCode(code)}${after}`;
      return markup.test(word) || linkable.test(word) ? inlineCode(word) : escaped(word);
    })
    .join(' ');
  // At the beginning of a line, these mark a heading or an item.
  return plain !== '' && '#+-'.includes(plain.charAt(0)) ? `\\${plain}` : plain;
}

function escaped(text: string): string {
  return text.replaceAll(/&(?=[#\p{L}])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
}

/** Joins a list to text: `a, b and 3 more`. */
export function joined(items: readonly Sentence[], total = items.length): Sentence {
  const more = total - items.length;
  const parts = items.flatMap((item, index): Sentence => (index === 0 ? item : [', ', ...item]));
  return more > 0 ? [...parts, ` and ${more} more`] : parts;
}

/** Returns a sentence that lists the first of some things: `Owned by a, b and 3 more.`; none if there are none. */
export function listSentence<Thing>(
  label: string,
  all: readonly Thing[],
  max: number,
  write: (one: Thing) => Sentence,
): Sentence[] {
  return all.length === 0 ? [] : [[label, ...joined(all.slice(0, max).map(write), all.length), '.']];
}

/** Quotes third-party text: a title or the sentence of an author. Quotation marks inside cannot end the quotation. */
export function quoted(text: string, max = 240): string {
  return `“${plainText(shorten(text, max).replaceAll(/[“”„‟]/gu, "'"))}”`;
}

/** Shortens a line. Inline code that this cuts ends where the line does. */
export function shortened(line: string, max: number): string {
  const short = shorten(line, max);
  return short === line || short.split('`').length % 2 === 1 ? short : `${short}\``;
}
