import { timingSafeEqual } from 'node:crypto';
import { isUuid, type UserId } from '../../../../foundation/kernel/ids.ts';
import type { Sealer } from '../../../../foundation/secrets/sealer.ts';
import type { Visitor } from './visitor.ts';

/** Tokens against cross-site request forgery (RFC 6749 section 10.12; RFC 9700 section 4.7). */
export interface FormTokens {
  /**
   * Creates a token for a form with this purpose (`interaction <uid>`). It is valid in the browser of this visitor
   * only, for that purpose only, and until another person signs in there.
   */
  issue(visitor: Visitor, purpose: string): string;
  accepts(visitor: Visitor, purpose: string, token: string): boolean;
  /**
   * Returns the signed-in person who got a form in this browser, also after the session has ended; `undefined` if the
   * token is not of such a form.
   */
  personOf(visitor: Pick<Visitor, 'formKey'>, purpose: string, token: string): UserId | undefined;
}

export function formTokens(sealer: Pick<Sealer, 'mac'>): FormTokens {
  // Bound to the person instead of the session, so that forms in other tabs survive a second sign-in of the same
  // person.
  const sign = (formKey: string, userId: string, purpose: string): string =>
    `${userId}.${sealer.mac(JSON.stringify([formKey, userId, purpose]))}`;
  const issue: FormTokens['issue'] = ({ formKey, session }, purpose) =>
    sign(formKey, session?.userId ?? '', purpose);
  return {
    issue,
    accepts: (visitor, purpose, token) => equal(issue(visitor, purpose), token),
    personOf({ formKey }, purpose, token) {
      const userId = token.slice(0, Math.max(0, token.indexOf('.')));
      if (!isUuid(userId) || !equal(sign(formKey, userId, purpose), token)) return undefined;
      return userId as UserId;
    },
  };
}

function equal(expected: string, token: string): boolean {
  const given = Buffer.from(token);
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
