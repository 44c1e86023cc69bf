/** Stands for our origin, whatever it is: only whether a path leaves it matters. */
const here = 'http://own.invalid';

/** As long as a path of ours gets. */
const mostCharacters = 1024;

/**
 * Where to go on, from a query or a field: a path of this service and nothing else, however it is written, else
 * `fallback`. Read the way browsers do, which take `\\` for `/` and skip tabs.
 */
export function ownPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > mostCharacters || !text.startsWith('/')) return fallback;
  if (!URL.canParse(text, here)) return fallback;
  const { origin, pathname, search } = new URL(text, here);
  // `/.//host` is a path of ours to the parser, and another host once it stands in a Location header by itself.
  return origin === here && !pathname.startsWith('//') ? `${pathname}${search}` : fallback;
}
