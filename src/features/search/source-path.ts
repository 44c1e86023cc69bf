import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

const longestPath = 4096;

/**
 * A path inside a repository in Git's own form: no leading or doubled slash, no `.` segment; empty is the root.
 * @throws InvalidInput for `..`, NUL or over 4,096 bytes: such a path can name nothing in a tree.
 */
export function sourcePath(text: string): string {
  if (text.includes('\0')) throw fault('holds a NUL byte');
  if (Buffer.byteLength(text) > longestPath) throw fault(`is longer than ${longestPath} bytes`);
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw fault('holds `..`; give it from the root of the repository');
  return segments.join('/');
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function fault(message: string): InvalidInput {
  return invalidField('path', message, `The path ${message}.`);
}
