import { originOfKey } from './port.ts';

/** Maximum number of terms of a name, and of characters of a term. */
const maxTerms = 32;
const maxTermLength = 64;
/** Maximum number of words of a query. */
const maxQueryWords = 8;

const words = /[\p{L}\p{N}\p{M}]+/gu;
const parts = /\p{Lu}\p{M}*(?:[\p{Ll}\p{M}]+)|\p{Lu}+(?!\p{Ll})|[\p{Ll}\p{M}]+|\p{N}+|\p{Lo}[\p{Lo}\p{M}]*/gu;

/** Returns a name as it is compared: without the case and without compatibility forms of characters. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Returns the terms that find a name: its words, and the parts of words such as `parseQuery` and `HTTPServer`. */
function nameTerms(name: string): readonly string[] {
  const normal = name.normalize('NFKC');
  const all = (normal.match(words) ?? []).flatMap((word) => [word, ...(word.match(parts) ?? [])]);
  return [...new Set(all.map((term) => term.toLowerCase().slice(0, maxTermLength)))].slice(0, maxTerms);
}

/** Returns the words that a query asks for; each begins a term of a name that it finds. */
export function queryWords(text: string): readonly string[] {
  const found = foldName(text).match(words) ?? [];
  return [...new Set(found.map((word) => word.slice(0, maxTermLength)))].slice(0, maxQueryWords);
}

/**
 * Returns the term that every node of an organization has, so that a search reads only the entries of that
 * organization. No word of a query can begin it, because its first character is neither letter nor digit.
 */
export function organizationTerm(organizationId: string): string {
  return `\u{E000}${plain(organizationId)}`;
}

/** Returns the term that every node of an origin has, as `organizationTerm` does. */
export function originTerm(origin: string): string {
  return `\u{E001}${plain(origin)}`;
}

/** Returns all terms that find a node, separated by spaces. */
export function nodeTerms(organizationId: string, key: string, name: string): string {
  const origin = originOfKey(key);
  const own = origin === undefined ? [] : [originTerm(origin)];
  return [organizationTerm(organizationId), ...own, ...nameTerms(name)].join(' ');
}

function plain(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}
