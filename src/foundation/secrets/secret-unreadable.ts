import { OrgctxError } from '../kernel/errors.ts';
import type { SecretPlace } from './secret-place.ts';

/**
 * `wrong_key`: sealed with a key that this process does not have. `tampered`: the key is there, but the text was
 * changed, cut or moved from elsewhere.
 */
export type UnreadableReason = 'wrong_key' | 'tampered';

/**
 * A saved secret that cannot be decrypted (specification, Errors: "Tracker sync fails after OAuth succeeds"). Never
 * holds a value. The status tells a job to come again: an operator's correction mends it without another request.
 */
export class SecretUnreadable extends OrgctxError {
  readonly status = 503;
  readonly reason: UnreadableReason;

  constructor(place: SecretPlace, reason: UnreadableReason) {
    super('secret_unreadable', nextStep[reason](inWords(place.field)), { detail: { ...place, reason } });
    this.reason = reason;
  }
}

const nextStep: Readonly<Record<UnreadableReason, (what: string) => string>> = {
  wrong_key: (what) =>
    `The saved ${what} cannot be decrypted: it was saved with a different key. Give backend and worker the same ` +
    'CONNECTION_SECRETS_ENCRYPTION_KEY (or AUTH_SECRET), list the former key in ' +
    'CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS, or save it on the connection again.',
  tampered: (what) =>
    `The saved ${what} is damaged or was moved from another place. Save it on the connection again, or restore a ` +
    'backup of the database.',
};

/** `clientSecret` → `client secret` */
function inWords(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
