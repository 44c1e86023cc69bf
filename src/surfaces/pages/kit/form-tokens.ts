import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';
import type { Visitor } from './visitor.ts';

/** Tokens against cross-site request forgery (RFC 6749 section 10.12; RFC 9700 section 4.7). */
export interface FormTokens {
  /**
   * Creates a token for a form with this purpose (`interaction <uid>`). It is valid in the browser of this visitor
   * only, for that purpose only, and until another person signs in there.
   */
  issue(visitor: Visitor, purpose: string): string;
  accepts(visitor: Visitor, purpose: string, token: string): boolean;
}

export function formTokens(sealer: Pick<Sealer, 'mac'>): FormTokens {
  // Bound to the person instead of the session, so that forms in other tabs survive a second sign-in of the same
  // person.
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
