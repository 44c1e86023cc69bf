import { createHash } from 'node:crypto';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** Files a reader can page through; beyond it a narrower query serves better. */
const furthestOffset = 10_000;

/**
 * A cursor is `offset.fingerprint` in base64url. The fingerprint binds it to the query and organization it came
 * from; it is no secret, since an offset into one's own results gives nothing away.
 */
export function writeCursor(offset: number, fingerprint: string): string | null {
  if (offset > furthestOffset) return null;
  return Buffer.from(`${offset}.${fingerprint}`).toString('base64url');
}

/** The offset a cursor stands for; 0 without one. @throws InvalidInput for a foreign or damaged cursor. */
export function readCursor(cursor: string | undefined, fingerprint: string): number {
  if (cursor === undefined) return 0;
  const text = cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('latin1');
  const [, digits = '', mark] = /^(\d{1,5})\.([0-9a-f]{16})$/u.exec(text) ?? [];
  const offset = Number(digits);
  if (mark === fingerprint && offset <= furthestOffset) return offset;
  const fault = 'it belongs to another query or is damaged; start again without a cursor';
  throw invalidField('cursor', fault, `The cursor is not usable: ${fault}.`);
}

export function fingerprintOf(parts: readonly (string | readonly string[])[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
