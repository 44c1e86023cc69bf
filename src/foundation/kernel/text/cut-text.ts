/*
 * These functions cut a text in linear time. Patterns such as /\/+$/ and /#.*$/ do the same in quadratic time, because
 * they are tried at every character of the text, and each time read up to the end.
 */

/** Returns a text without those of some characters at its end. `characters` are single UTF-16 units. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns a text without those of some characters at its beginning. `characters` are single UTF-16 units. */
export function withoutStart(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Returns the part of a text before the first place of a mark; the whole text if it has none. */
export function textBefore(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}
