import type { LiveSegment } from '../read/live-segment.ts';
import type { Segment } from '../read/segment.ts';

/** Hashes of the names of files by document, computed when a question first names a file or something in code. */
const known = new WeakMap<Segment, Int32Array>();

/**
 * Returns a function that tells whether the file of a document may have one of some names, given in lower case. It is
 * true for all that do and all that were renamed, and for nearly no other.
 */
export function mayBeNamed(
  { segment, renamed }: LiveSegment,
  names: readonly string[],
): (document: number) => boolean {
  // Without a name, no document needs a hash.
  if (names.length === 0) return () => false;
  const wanted = new Set(names.map(hashOfName));
  const hashes = known.get(segment) ?? hashesOf(segment);
  known.set(segment, hashes);
  return (document) => wanted.has(hashes[document]!) || renamed.has(document);
}

function hashesOf({ documents }: Segment): Int32Array {
  const lowerPath = documents.lowerPaths();
  return Int32Array.from({ length: documents.count }, (_, document) => hashOfName(lowerPath(document)));
}

const separators: ReadonlySet<number> = new Set(Array.from('/.#:', (one) => one.charCodeAt(0)));
const joiners: ReadonlySet<number> = new Set(Array.from('_-', (one) => one.charCodeAt(0)));

/** Returns a hash of the last part of a path or name, without its extension and what `joinedWords` removes. */
function hashOfName(path: string): number {
  let hash = 0;
  for (let at = endOfName(path) - 1; at >= 0; at--) {
    const code = path.charCodeAt(at);
    if (separators.has(code)) break;
    if (!joiners.has(code)) hash = (Math.imul(hash, 31) + code) | 0;
  }
  return hash;
}

/** Returns a name without the separators of its words, in lower case; a qualified name becomes a path. */
export function joinedWords(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\.|::|#/g, '/')
    .replaceAll(/[_-]/g, '');
}

/** Returns where the name of a file ends, before its extension and separators. */
export function endOfName(path: string): number {
  const dot = path.lastIndexOf('.');
  let end = dot > path.lastIndexOf('/') && /^\w+$/.test(path.slice(dot + 1)) ? dot : path.length;
  while (path[end - 1] === '_' || path[end - 1] === '-') end -= 1;
  return end;
}
