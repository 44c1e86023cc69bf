import { OrgctxError } from '../kernel/errors.ts';
import type { SecretPlace } from './secret-place.ts';

/**
 * The reason why a secret cannot be decrypted. `wrong_key`: it is sealed with a key that this process does not have.
 * `tampered`: the key is available, but the envelope was changed, truncated or moved from another place.
 */
export type UnreadableReason = 'wrong_key' | 'tampered';

/**
 * An error for a stored secret that cannot be decrypted (specification, Errors: a sync that fails after
 * OAuth succeeded). Never contains a value. Its status makes jobs retry, because an operator can fix the configuration
 * without a new request.
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
    `The saved ${what} cannot be decrypted: it was saved with a different key. Set backend and worker to the same ` +
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
