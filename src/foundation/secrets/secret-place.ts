import type { ConnectionId } from '../kernel/ids.ts';

/** The connection id of the canary's place. The canary is sealed like a secret, but belongs to no connection. */
export const canaryId = 'connections';

/** The place of a secret. A sealed secret is bound to its place: it cannot be opened in another row or field. */
export interface SecretPlace {
  readonly connectionId: ConnectionId | typeof canaryId;
  /** `clientSecret`, `webhookSecret`, `refreshToken`, … */
  readonly field: string;
}

/**
 * Returns the text to which an envelope at this place is bound. @throws RangeError if two places could have the same
 * text
 */
export function boundToPlace({ connectionId, field }: SecretPlace): string {
  if (connectionId.includes('\0') || field.includes('\0'))
    throw new RangeError('The place of a secret must not contain NUL.');
  return ['connection', connectionId, field].join('\0');
}
