import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import type { Visitor } from './visitor.ts';

/** Tokens against forged forms (RFC 6749 section 10.12; RFC 9700 section 4.7). */
export interface FormTokens {
  /**
   * For a form of this purpose (`interaction <uid>`), shown to this visitor. It counts in their browser only, for
   * that purpose only, and while nobody else signs in there.
   */
  issue(visitor: Visitor, purpose: string): string;
  accepts(visitor: Visitor, purpose: string, token: string): boolean;
}

export function formTokens(sealer: Pick<Sealer, 'mac'>): FormTokens {
  // The person and not the session: a second sign-in of the same person leaves the forms of other tabs alone.
  const issue: FormTokens['issue'] = ({ formKey, session }, purpose) =>
    sealer.mac(JSON.stringify([formKey, session?.userId ?? '', purpose]));
  return {
    issue,
    accepts: (visitor, purpose, token) => equal(issue(visitor, purpose), token),
  };
}

function equal(expected: string, token: string): boolean {
  const given = Buffer.from(token);
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
