import { inlineCode } from '../../text/markdown.ts';
import type { IssuedSources } from '../issued-sources.ts';

/** Replaces an address that is not that of a source. */
const removedLink = '(link removed)';

/**
 * Matches a possible link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is
 * required.
 */
const address = /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|www\.|(?<![a-z0-9:/])\/\/[\w-]+\.)\S*/iu;
const closing = /[.,;:!?)\]}'"*_~>]+$/u;

/** Cleans a word: an address becomes the number of its source or is removed, a mail address becomes inline code. */
export function cleanWord(word: string, sources: IssuedSources): string {
  const found = address.exec(word);
  if (found !== null) {
    const [whole] = found;
    const end = closing.exec(whole)?.[0] ?? '';
    const before = cleanWord(word.slice(0, found.index), sources);
    return `${before}${citeAddress(whole.slice(0, whole.length - end.length), sources)}${end.replaceAll(/[\]>]/gu, '')}`;
  }
  if (/@\w/u.test(word)) return inlineCode(word);
  // An entity is another way to write a character of markup.
  return word.replaceAll(/&(?=#?\w{1,31};)/gu, '\\&');
}

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
      const found = address.exec(word)?.[0].replace(closing, '');
      return found === undefined || sources.contain(found) ? word : 'link removed';
    })
    .join('');
  return kept.trim() === '' ? '' : inlineCode(kept);
}
