import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

const maxPathLength = 4096;

/**
 * Normalizes a path inside a repository to the form of Git: no leading or doubled slash, no `.` segment; empty is the
 * root.
 * @throws InvalidInput for `..`, NUL or over 4,096 bytes: no entry of a tree has such a path.
 */
export function sourcePath(text: string): string {
  if (text.includes('\0')) throw error('contains a NUL byte');
  if (Buffer.byteLength(text) > maxPathLength) throw error(`is longer than ${maxPathLength} bytes`);
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw error('contains `..`; pass the path from the root of the repository');
  return segments.join('/');
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function error(message: string): InvalidInput {
  return invalidField('path', message, `The path ${message}.`);
}
