import { createHash } from 'node:crypto';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { GraphSearch } from './port.ts';

/**
 * The last node of a page: whether its name began with the text, its folded name and its key. Its number is left out,
 * because numbers count what all organizations write.
 */
export interface SearchPosition {
  readonly prefix: boolean;
  readonly folded: string;
  readonly key: string;
}

/** Returns the fingerprint of a search, which binds a cursor to it, to the organization and to the repositories. */
export function fingerprintOf(
  { organizationId, repositories }: DataScope,
  { folded, kinds, origins }: Required<Pick<GraphSearch, 'kinds' | 'origins'>> & { readonly folded: string },
): string {
  const parts = [organizationId, sorted(repositories), folded, sorted(kinds), sorted(origins)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

function sorted(texts: Iterable<string> | undefined): readonly string[] | null {
  return texts === undefined ? null : [...texts].toSorted();
}

/** Returns the cursor of the page after a node. */
export function writeCursor({ prefix, folded, key }: SearchPosition, fingerprint: string): string {
  return Buffer.from(JSON.stringify([fingerprint, prefix, folded, key])).toString('base64url');
}

/** Reads a cursor. @throws InvalidInput for one of another search or a damaged one */
export function readCursor(cursor: string, fingerprint: string): SearchPosition {
  const [mark, prefix, folded, key] = partsOf(cursor);
  if (
    mark === fingerprint &&
    typeof prefix === 'boolean' &&
    typeof folded === 'string' &&
    typeof key === 'string'
  )
    return { prefix, folded, key };
  const error = 'it belongs to another query or is damaged; start again without a cursor';
  throw invalidField('cursor', error, `The cursor is not usable: ${error}.`);
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
