/** A placeholder for the origin of the service, to detect whether a path leads to another origin. */
const placeholderOrigin = 'http://own.invalid';

/** Maximum length of a path of this service. The path of a file in a link has up to 4,096 characters. */
const maxCharacters = 8192;

/**
 * Returns the redirect target from a query or a field if it is a path of this service, otherwise `fallback`. Parsed
 * the way browsers do, which treat `\\` as `/` and skip tabs.
 */
export function ownPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > maxCharacters || !text.startsWith('/')) return fallback;
  if (!URL.canParse(text, placeholderOrigin)) return fallback;
  const { origin, pathname, search } = new URL(text, placeholderOrigin);
  // The parser normalizes `/.//host` to the path `//host`, which means another host in a Location header.
  return origin === placeholderOrigin && !pathname.startsWith('//') ? `${pathname}${search}` : fallback;
}
