import { createHash } from 'node:crypto';
import type { InvalidInput } from '../../foundation/kernel/errors.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** Maximum number of items that a caller can page through; beyond it, a narrower query is better. */
const maxOffset = 10_000;

/**
 * Creates a cursor: `offset.fingerprint` in base64url. The fingerprint binds it to its query, organization and
 * repositories. It is not secret, because an offset into the caller's own results reveals nothing. Returns `null`
 * beyond the maximum offset, which is 999,999 at most.
 */
export function writeCursor(offset: number, fingerprint: string, max = maxOffset): string | null {
  if (offset > max) return null;
  return Buffer.from(`${offset}.${fingerprint}`).toString('base64url');
}

/**
 * Returns the offset of a cursor; 0 without one. @throws InvalidInput for a cursor of another query or a damaged one.
 */
export function readCursor(cursor: string | undefined, fingerprint: string, max = maxOffset): number {
  if (cursor === undefined) return 0;
  const text = cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('latin1');
  const [, digits = '', mark] = /^(\d{1,9})\.([0-9a-f]{16})$/u.exec(text) ?? [];
  const offset = Number(digits);
  if (mark === fingerprint && offset <= max) return offset;
  throw unusable('it belongs to another query or is damaged');
}

/** Returns the error for a cursor whose position has no result: it was changed, or the results became fewer. */
export function pastResults(): InvalidInput {
  return unusable('there is no result at its position');
}

function unusable(reason: string): InvalidInput {
  const error = `${reason}; start again without a cursor`;
  return invalidField('cursor', error, `The cursor is not usable: ${error}.`);
}

/** Returns the fingerprint of a query of a caller: other repositories have other positions. */
export function fingerprintOf(
  { organizationId, repositories }: DataScope,
  parts: readonly (string | readonly string[])[],
): string {
  const readable = repositories === undefined ? null : [...repositories].toSorted(compareText);
  const text = JSON.stringify([organizationId, readable, ...parts]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
