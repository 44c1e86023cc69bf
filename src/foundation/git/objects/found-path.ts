import { isObjectId } from './commit-id.ts';
import { isSafeName } from './entry-names.ts';
import { pathBytes } from './path-text.ts';

export interface FoundPath {
  readonly type: 'blob' | 'tree';
  readonly oid: string;
  readonly bytes: number;
}

/**
 * Returns the name by which `git cat-file` finds the entry at a path of a commit; `undefined` if no tree can have such
 * an entry. Paths of Git have no empty, `.`, `..` or `.git` segment.
 */
export function entryName(commit: string, path: string): Buffer | undefined {
  const isInside = path === '' || path.split('/').every((name) => isSafeName(name));
  if (!isObjectId(commit) || !isInside) return undefined;
  return Buffer.concat([Buffer.from(`${commit}:`), pathBytes(path)]);
}

/** Parses `<oid> <type> <size>`, which `git cat-file` prints for an object; `undefined` for any other line. */
export function parseFound(line: string): FoundPath | undefined {
  const [, oid, type, bytes] = /^([\da-f]+) (blob|tree) (\d+)$/.exec(line) ?? [];
  if (oid === undefined) return undefined;
  return { type: type === 'tree' ? 'tree' : 'blob', oid, bytes: Number(bytes) };
}

/** Returns whether a path contains control characters. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
