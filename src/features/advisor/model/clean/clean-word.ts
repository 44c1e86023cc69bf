import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { inlineCode } from '../../text/markdown.ts';
import type { IssuedSources } from '../issued-sources.ts';

/** Replaces an address that is not that of a source. */
const removedLink = '(link removed)';

/**
 * Matches a possible link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is
 * required. Browsers read `https:/host` and `https:host` like `https://host`.
 */
const address =
  /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![a-z])(?:https?|ftps?|wss?):[/\\]*(?=[^\s/\\])|www\.|(?<![a-z0-9:/])\/\/[\w-]+\.)\S*/iu;
const closing = `.,;:!?)]}'"*_~>`;

/** Cleans a word: an address becomes the number of its source or is removed, a mail address becomes inline code. */
export function cleanWord(word: string, sources: IssuedSources): string {
  const found = address.exec(word);
  if (found !== null) {
    const [whole] = found;
    const end = whole.slice(withoutEnd(whole, closing).length);
    const before = cleanWord(word.slice(0, found.index), sources);
    const cited = citeAddress(whole.slice(0, whole.length - end.length), sources);
    // A citation with a colon would say where all of its links lead.
    const gap = cited.startsWith('[') && end.startsWith(':') ? ' ' : '';
    return `${before}${cited}${gap}${end.replaceAll(/[\]>]/gu, '')}`;
  }
  if (/@\w/u.test(word)) return inlineCode(word);
  return word.replaceAll(token, (text, at: number) => {
    const start = /[^_]/u.exec(text)?.index ?? text.length;
    const next = word[at + text.length];
    const inner = next === '(' ? text.slice(start) : withoutEnd(text.slice(start), '._:?#');
    if (hasHost.test(inner) || hasScheme.test(`${inner}${next === '(' ? next : ''}`))
      return `${text.slice(0, start)}${inlineCode(inner)}${text.slice(start + inner.length)}`;
    // An entity is another way to write a character of markup. Its end may follow in another piece.
    return text.replaceAll(/&(?=[#\w]|$)/gu, '\\&');
  });
}

/** Matches a run of characters that an address may contain, so that markup around it stays outside of code. */
const token = /[^\s*~()[\]{}<>"'`,|]+/gu;

/**
 * Matches a text that a client may make a link although it has no scheme: a name with a dot that could be a host, such
 * as `evil.example` or `README.md`, in any script; an address of IPv4; and a name after two slashes. Browsers also read
 * the full stops of Chinese and Japanese as dots, which end sentences there, so they count between Latin letters only.
 */
const hasHost =
  /[\p{L}\p{M}\p{N}\p{S}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|^\/\/[\p{L}\p{N}]|[a-z0-9-][。．｡][a-z][a-z0-9-]/iu;

/**
 * Matches what may be an address without slashes, such as `tel:1`. Any program can claim a scheme, so names such as
 * `std::vector` count as well.
 */
const hasScheme = /[a-z][a-z0-9+.-]{1,31}:\S/iu;

/** Returns the citation of the source with an address, or that a link was removed. */
export function citeAddress(target: string, sources: IssuedSources): string {
  const id = sources.withAddress(target);
  return id === undefined ? removedLink : `[${sources.cite(id)}]`;
}

/** Formats inline code. An address in it stays only if a source contains it: it is then a quotation. */
export function cleanCode(text: string, sources: IssuedSources): string {
  const kept = text
    .split(/(\s+)/u)
    .map((word) => {
      const found = address.exec(word)?.[0];
      return found === undefined || sources.contain(withoutEnd(found, closing)) ? word : 'link removed';
    })
    .join('');
  return kept.trim() === '' ? '' : inlineCode(kept);
}
