/** A place in a request as a JSON pointer (RFC 6901), such as `/repositories/0/source`; empty for the whole. */
export type JsonPointer = '' | `/${string}`;

/** Returns the pointer to a place, given by the names of fields and the positions in lists that lead to it. */
export function pointerTo(path: readonly PropertyKey[]): JsonPointer {
  if (path.length === 0) return '';
  const segments = path.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${segments.join('/')}`;
}

/** Returns the names and positions that a pointer consists of. */
export function segmentsOf(pointer: JsonPointer): readonly string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the name of a field for people, such as `repositories.0.source`; empty for the whole request. */
export function fieldName(pointer: JsonPointer): string {
  return segmentsOf(pointer).join('.');
}
