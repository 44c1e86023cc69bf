/** Encodes a part of a URL. Lone surrogates have no UTF-8 form, so they become the replacement character. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}

/** Encodes the segments of a path, and keeps its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}
